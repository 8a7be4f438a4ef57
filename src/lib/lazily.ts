/** An object whose members are all asynchronous functions. */
type Service<Of> = { [name in keyof Of]: (...values: never[]) => Promise<unknown> }

/** A service that is loaded by the first call of one of its functions, so that its code is not part of the start. */
export function lazily<Of extends Service<Of>>(load: () => Promise<Of>): Of {
  let loading: Promise<Of> | undefined
  const call = async (name: string | symbol, values: unknown[]) => {
    loading ??= load()
    const service = await loading
    return Reflect.apply(Reflect.get(service, name), service, values)
  }
  return new Proxy({} as Of, { get: (_, name) => (name === 'then' ? undefined : (...values: unknown[]) => call(name, values)) })
}
