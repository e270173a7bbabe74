import { useEffect, useState } from "preact/hooks";

/** A value to which views subscribe. */
export type Value<T> = ReturnType<typeof makeValue<T>>;

/** Makes a value to which views can subscribe. */
export function makeValue<T>(initial: T) {
  let current = initial;
  const listeners = new Set<() => void>();
  const set = (value: T): void => {
    if (Object.is(value, current)) return;
    current = value;
    for (const listener of listeners) listener();
  };
  return {
    get: (): T => current,
    set,
    update: (change: (value: T) => T): void => set(change(current)),
    /** Calls `listener` after each change until the returned function is called. */
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return (): void => void listeners.delete(listener);
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
