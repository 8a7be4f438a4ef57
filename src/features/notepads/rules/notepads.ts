/** `private`: only its owner sees it. `workspace`: every member. `restricted`: its owner, and those in its access list. */
export const VISIBILITIES = ['private', 'workspace', 'restricted'] as const
export type Visibility = (typeof VISIBILITIES)[number]
export const ACCESS_LEVELS = ['read', 'write'] as const

/** Whoever may read or write a restricted notepad: a member, or all members with a role. */
export type NotepadAccess = { user_id: string | null; role: string | null; level: (typeof ACCESS_LEVELS)[number] }

/** The most bytes of the content in UTF-8. */
export const MAX_CONTENT_BYTES = 1_000_000
/** The most entries of an access list. */
export const MAX_ACCESS = 50
/** The most restricted notepads of a workspace, which each list of notepads may read. */
export const MAX_RESTRICTED = 1000
/** The versions that are kept of the content. */
export const MAX_VERSIONS = 20

type Sent = { visibility?: Visibility | undefined; access?: NotepadAccess[] | undefined }
type Fault = { path: string; message: string }

/** What is wrong with a visibility and an access list that are sent together. */
export function accessFaults({ visibility, access }: Sent): Fault[] {
  const isEmpty = access === undefined || access.length === 0
  if (visibility === 'restricted' && isEmpty)
    return [{ path: 'access', message: 'must name who may read a restricted notepad: a member or a role, or make it private' }]
  if (visibility !== undefined && visibility !== 'restricted' && !isEmpty)
    return [{ path: 'access', message: `only a restricted notepad has an access list: leave it out of one that is ${visibility}` }]
  return (access ?? []).flatMap((entry, index) => entryFaults(entry, index, access ?? []))
}

function entryFaults({ user_id, role }: NotepadAccess, index: number, all: NotepadAccess[]): Fault[] {
  if ((user_id === null) === (role === null))
    return [{ path: `access.${index}`, message: 'must have either user_id, for a member, or role, for all members with it' }]
  const isRepeated = all.findIndex((other) => other.user_id === user_id && other.role === role) < index
  return isRepeated ? [{ path: `access.${index}`, message: 'is a duplicate: name each member and each role once' }] : []
}

/** The columns for what was sent: only a restricted notepad has an access list. */
export const accessColumns = ({ visibility, access }: Sent): Sent => ({
  ...(visibility !== undefined && { visibility, access: access ?? [] }),
  ...(visibility === undefined && access !== undefined && { access }),
})
