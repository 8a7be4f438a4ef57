import { extensionOf, FILE_TYPES, type FileType } from './file-types.ts'

const LONGEST = 150
const ALSO: Partial<Record<FileType | 'vcf', string[]>> = { jpg: ['jpeg'], mp4: ['m4v'] }
/** Names that Windows reserves for devices. */
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)(\..*)?$/i

/** Makes a file name that is valid in any folder and has an extension that matches its type. */
export function cleanName(original: string, type: FileType | 'vcf'): string {
  const last = original.normalize('NFC').split(/[\\/]/).at(-1) as string
  const visible = last
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Co}\ufffd]/gu, '')
    .replace(/[<>:"|?*]/g, '_')
    .replace(/\s+/g, ' ')
    .replace(/^[. ]+|(?<![. ])[. ]+$/g, '')
  const extension = extensionOf(visible)
  const fits = extension === type || ALSO[type]?.includes(extension)
  const stem = fits ? visible.slice(0, -extension.length - 1) : visible
  const short =
    [...stem]
      .slice(0, LONGEST)
      .join('')
      .replace(/(?<![. ])[. ]+$/, '') || 'file'
  return `${RESERVED.test(short) ? '_' : ''}${short}.${fits ? extension : type}`
}

/** The content type of a file stored under a clean name, by its extension. */
export function contentTypeOf(name: string): string {
  const extension = extensionOf(name)
  const also = Object.entries(ALSO).find(([, others]) => others.includes(extension))?.[0]
  return FILE_TYPES[(also ?? extension) as FileType] ?? 'application/octet-stream'
}

/** The last part of a path, without invisible characters; empty for none. */
export function lastOfPath(path: string): string {
  const last = path.toWellFormed().split(/[\\/]/).at(-1) as string
  return last.replace(/[\p{Cc}\p{Cf}]/gu, '').replace(/^[. ]+|(?<![. ])[. ]+$/g, '')
}

/**
 * A Content-Disposition of `attachment`, with an ASCII name for old clients and a UTF-8 name for others (RFC 6266). Of a path, both have
 * the last part only. `space`: what stands between the two names, for a header that is folded.
 */
export function dispositionOf(path: string, space = ' '): string {
  const name = lastOfPath(path) || 'file'
  const plain = name.replace(/[^\x20-\x7e]|["%]/g, '_')
  const encoded = encodeURIComponent(name).replace(/['()*!]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
  return `attachment; filename="${plain}";${space}filename*=UTF-8''${encoded}`
}

/** The folder of a workspace's files, whose keys sort by workspace and id as the rows do. */
export const FILE_FOLDER = 'attachments/'
export const keyOfFile = (workspaceId: string, id: string) => `${FILE_FOLDER}${workspaceId}/${id}`

/** The folder of import files. */
export const IMPORT_FOLDER = 'imports/'
export const keyOfImport = (workspaceId: string, id: string) => `${IMPORT_FOLDER}${workspaceId}/${id}`

/** `missing` means that the row exists and the file does not. */
export const FILE_STATES = ['stored', 'missing'] as const

export const ALLOWED = Object.keys(FILE_TYPES)

/** The folder of the media of received messages. */
export const MEDIA_FOLDER = 'media/'
export const keyOfMedia = (workspaceId: string, id: string) => `${MEDIA_FOLDER}${workspaceId}/${id}`

/** The folder of emails: attachments, and what the mail provider has posted until it is processed. */
export const EMAIL_FOLDER = 'emails/'
export const keyOfEmail = (workspaceId: string, id: string) => `${EMAIL_FOLDER}${workspaceId}/${id}`

/** The folder of files that belong to no record of their own. */
export const STORED_FOLDER = 'files/'
export const keyOfStored = (workspaceId: string, id: string) => `${STORED_FOLDER}${workspaceId}/${id}`

/** The folder of images that visitors upload, by the digest of their content. */
export const PUBLIC_FOLDER = 'public-images/'
