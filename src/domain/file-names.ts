import { extensionOf, FILE_TYPES, type FileType } from './file-types.ts'

const LONGEST = 150
const ALSO: Partial<Record<FileType, string[]>> = { jpg: ['jpeg'], mp4: ['m4v'] }
/** Names that Windows keeps for devices. */
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)(\..*)?$/i

/** A file's name as it may stand in any folder, with an extension that fits its type. */
export function cleanName(given: string, type: FileType): string {
  const last = given.normalize('NFC').split(/[\\/]/).at(-1) as string
  const visible = last
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Co}\ufffd]/gu, '')
    .replace(/[<>:"|?*]/g, '_')
    .replace(/\s+/g, ' ')
    .replace(/^[. ]+|[. ]+$/g, '')
  const extension = extensionOf(visible)
  const fits = extension === type || ALSO[type]?.includes(extension)
  const stem = fits ? visible.slice(0, -extension.length - 1) : visible
  const short =
    [...stem]
      .slice(0, LONGEST)
      .join('')
      .replace(/[. ]+$/, '') || 'file'
  return `${RESERVED.test(short) ? '_' : ''}${short}.${fits ? extension : type}`
}

/** The type of a file that is stored under a clean name, whose extension fits it. */
export function contentTypeOf(name: string): string {
  const extension = extensionOf(name)
  const also = Object.entries(ALSO).find(([, others]) => others.includes(extension))?.[0]
  return FILE_TYPES[(also ?? extension) as FileType] ?? 'application/octet-stream'
}

/** `attachment`, with the name for old clients (ASCII) and for all others (RFC 6266). */
export function dispositionOf(name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}

/** Where a file of a workspace lies: in the order of workspace and id, as the rows are. */
export const FILE_FOLDER = 'attachments/'
export const keyOfFile = (workspaceId: string, id: string) => `${FILE_FOLDER}${workspaceId}/${id}`

/** The same for the file of an import. */
export const IMPORT_FOLDER = 'imports/'
export const keyOfImport = (workspaceId: string, id: string) => `${IMPORT_FOLDER}${workspaceId}/${id}`

/** `missing`: the row is there and the file is not. */
export const FILE_STATES = ['stored', 'missing'] as const

export const ALLOWED = Object.keys(FILE_TYPES)
