// Loaded before the program by a test: makes a server for port 4010 use a free port, as there may
// be another store at 4010.
import { Server } from "node:net";

const real = Reflect.get(Server.prototype, "listen");

Server.prototype.listen = function listen(options, ...rest) {
  const isDefault = typeof options === "object" && options.port === 4010;
  return Reflect.apply(real, this, [isDefault ? { ...options, port: 0 } : options, ...rest]);
};
