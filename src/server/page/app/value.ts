import { useEffect, useState } from "preact/hooks";

/** A value to which views subscribe. */
export interface Value<T> {
  get(): T;
  readonly set: (value: T) => void;
  update(change: (value: T) => T): void;
  subscribe(listener: () => void): () => void;
}

/** Makes a value to which views can subscribe. */
export function makeValue<T>(initial: T): Value<T> {
  let current = initial;
  const listeners = new Set<() => void>();
  const set = (value: T): void => {
    if (Object.is(value, current)) return;
    current = value;
    for (const listener of listeners) listener();
  };
  return {
    get: () => current,
    set,
    update: (change) => set(change(current)),
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Returns the current value; when it changes, the view is rendered again, at most once a frame. */
export function useValue<T>(value: Value<T>): T {
  const [, render] = useState({});
  const shown = value.get();
  useEffect(() => {
    // Effects run after the frame: the value may have changed by then.
    if (!Object.is(value.get(), shown)) render({});
    return value.subscribe(() => render({}));
  }, [value]);
  return shown;
}

/** Renders the view again every `ms`, for as long as `isWanted`. */
export function useTick(ms: number, isWanted = true): void {
  const [, render] = useState({});
  useEffect(() => {
    if (!isWanted) return undefined;
    const timer = setInterval(() => render({}), ms);
    return () => clearInterval(timer);
  }, [ms, isWanted]);
}
