/** Creates a value on first use and caches it. */
export function lazy<T>(make: () => T): () => T {
  let cached: { value: T } | undefined
  return () => {
    cached ??= { value: make() }
    return cached.value
  }
}
