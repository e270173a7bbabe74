/** The address of a Redis server, and the credentials for it. */
export interface RedisServer {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  readonly username?: string;
  readonly password?: string;
  readonly database: number;
}
