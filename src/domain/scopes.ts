import { SCOPES_BY_RESOURCE } from './registered.ts'

const resources = Object.entries(SCOPES_BY_RESOURCE)
const ACTIONS = ['read', 'write', 'delete'] as const

/** Scopes that keys and roles may have: those of endpoints, and `*` for all resources or all actions. */
export const SCOPES: readonly string[] = [
  ...resources.flatMap(([resource, actions]) => [...actions, '*'].map((action) => `${resource}:${action}`)),
  ...ACTIONS.map((action) => `*:${action}`),
  '*:*',
]
