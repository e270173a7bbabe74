// A process that writes profiles: `profile-writer.ts <folder> <name> once`, or without `once` until killed.
import { openProfileStore } from "../../../src/config/profiles/store.ts";
import { makeClock } from "../../../src/platform/clock.ts";

const [folder = "", name = "", times] = process.argv.slice(2);
const store = openProfileStore({
  folder,
  notices: undefined,
  platform: process.platform,
  clock: makeClock(() => process.hrtime.bigint()),
  random: Math.random,
  signal: new AbortController().signal,
  warn: async (text) => console.log(text),
});

for (let turn = 0; times === "once" ? turn < 1 : true; turn++) {
  await store.update((data) => ({
    ...data,
    profiles: {
      ...data.profiles,
      [`${name}${turn % 50}`]: {
        baseUrl: `https://${name}.example/${turn}`,
        apiKey: "k".repeat((turn % 900) + 1),
      },
    },
  }));
  if (turn === 0) console.log("begun");
}
