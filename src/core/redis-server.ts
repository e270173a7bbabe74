/** Where a Redis server is, and who asks. */
export interface RedisServer {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  readonly username?: string;
  readonly password?: string;
  readonly database: number;
}
