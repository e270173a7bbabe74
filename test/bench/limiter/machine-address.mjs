// Loaded before the program by a benchmark: a machine whose requests come from PETS_BENCH_ADDRESS.
import net from "node:net";

const { connect } = net;
const localAddress = process.env.PETS_BENCH_ADDRESS;

net.connect = (options, ...rest) => connect({ ...options, localAddress }, ...rest);
