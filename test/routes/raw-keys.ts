import type { Harness } from '../harness.ts'

/** Sends a request with a raw key, and returns the response. */
export const sendAs =
  (app: () => Harness) =>
  (key: string, path: string, init: Parameters<Harness['fetch']>[1] = {}) =>
    app().fetch(`/v1${path}`, {
      ...init,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...(init?.headers as Record<string, string>) },
    })
