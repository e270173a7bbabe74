// Loaded before the program by a test: what is to listen on 4010 takes a free port, as somebody may
// have a store of their own there.
import { Server } from "node:net";

const real = Reflect.get(Server.prototype, "listen");

Server.prototype.listen = function listen(options, ...rest) {
  const isDefault = typeof options === "object" && options.port === 4010;
  return Reflect.apply(real, this, [isDefault ? { ...options, port: 0 } : options, ...rest]);
};
