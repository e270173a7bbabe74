import { randomUUID } from "node:crypto";
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import path from "node:path";
import { ioFailure, errorMessage } from "../../core/errors.ts";
import type { OpenedFile, OpenRequest } from "./open.ts";

/**
 * Copies `source` into a new file of mode 0600 that has no name any more, where the system allows
 * that, so that nothing is left of it however the program ends. Rejects with an io Failure, and
 * with the signal's reason as soon as it is aborted.
 */
export async function spool(
  source: AsyncIterable<Uint8Array>,
  name: string,
  { folder, signal }: Pick<OpenRequest, "folder" | "signal">,
): Promise<OpenedFile> {
  const copy = makeCopy(path.join(folder, `pets-${randomUUID()}`), name);
  try {
    for await (const bytes of untilAborted(source, name, signal)) copy.add(bytes);
    return { name, descriptor: copy.descriptor, close: copy.close };
  } catch (error) {
    copy.close();
    throw error;
  }
}

function makeCopy(file: string, name: string) {
  const saying = <Done>(step: () => Done): Done => {
    try {
      return step();
    } catch (error) {
      const what = `the temporary file ${file}, which is to keep ${name}, can't be written`;
      throw ioFailure(`${what}: ${errorMessage(error)}`, error);
    }
  };
  const descriptor = saying(() => openSync(file, "wx+", 0o600));
  const isGone = remove(file);
  return {
    descriptor,
    add: (bytes: Uint8Array) => saying(() => writeWhole(descriptor, bytes)),
    close: () => {
      closeSync(descriptor);
      if (!isGone) remove(file);
    },
  };
}

function writeWhole(descriptor: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length;) done += writeSync(descriptor, bytes, done);
}

/** Removes a file, if the system allows it while it is open. */
function remove(file: string): boolean {
  try {
    rmSync(file);
    return true;
  } catch {
    return false;
  }
}

async function* untilAborted(
  source: AsyncIterable<Uint8Array>,
  name: string,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const iterator = source[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { value, done } = await orAborted(() => iterator.next(), signal);
      if (done === true) return;
      yield value;
    }
  } catch (error) {
    throw signal.aborted
      ? error
      : ioFailure(`${name} can't be read: ${errorMessage(error)}`, error);
  }
}

/** What `step` comes to, or a rejection as soon as the signal is aborted. Nothing is kept of it. */
function orAborted<Done>(step: () => Promise<Done>, signal: AbortSignal): Promise<Done> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<Done>();
  const abort = (): void => reject(signal.reason);
  signal.addEventListener("abort", abort);
  step().then(resolve, reject);
  return promise.finally(() => signal.removeEventListener("abort", abort));
}
