import { dispositionOf } from '../domain/file-names.ts'
import type { Env } from '../env.ts'
import { AppError, invalid } from '../errors.ts'
import { toHex } from '../lib/keys.ts'
import { isSigned, signPath } from '../lib/signed-paths.ts'
import type { Files, Received } from '../providers/files/port.ts'
import { bytesOf } from './receive.ts'

const MAX_FILE = 25 * 1024 * 1024
/** What the form around the file may take. */
const MAX_FORM = MAX_FILE + 16_384
const LINK_SECONDS = 60
const FOLDER = '/files/'

/** The files of one request, which may also be a file of type `raw` by itself. */
export function filesOf(env: Env, request: Request, raw?: string): Files {
  const isRaw = raw !== undefined && typeOf(request) === raw
  const files: Files = {
    ...storeOf(env),
    digest: undefined,
    expect: () => (isRaw ? expectBody(request) : expectForm(request, raw)),
    async receive() {
      const file = await (isRaw ? receiveBody(request) : receiveFile(request))
      files.digest = `${file.sha256} ${file.name}`
      return file
    },
    link(key, name, now) {
      const expires = Math.floor(now.getTime() / 1000) + LINK_SECONDS
      const path = signPath(env.FILE_SECRET, `${FOLDER}${key}/${encodeURIComponent(name)}`, expires)
      return { url: new URL(path, request.url).href, expires_at: new Date(expires * 1000).toISOString() }
    },
  }
  return files
}

/** What of it needs no request: a queue has it too. */
export function storeOf(env: Env): Pick<Files, 'put' | 'read' | 'remove'> {
  const reached = async <Out>(work: Promise<Out>): Promise<Out> =>
    work.catch((error: unknown) => {
      console.error(JSON.stringify({ level: 'error', message: 'file store', error: String(error) }))
      throw new AppError('UNAVAILABLE', 'The file store is out of reach', undefined, 2)
    })
  return {
    async put(key, bytes, { content_type, sha256 }) {
      await reached(env.FILES.put(key, bytes, { httpMetadata: { contentType: content_type }, sha256 }))
    },
    async read(key, range) {
      const object = await reached(env.FILES.get(key, { range }))
      if (!object) throw new AppError('NOT_FOUND', 'The file was lost in storage: upload it again')
      return new Uint8Array(await reached(object.arrayBuffer()))
    },
    remove: (key) => reached(env.FILES.delete(key)),
  }
}

const typeOf = ({ headers }: Request) => headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()

const tooLarge = () => new AppError('PAYLOAD_TOO_LARGE', 'The file is larger than 25 MB')
const noFile = (message: string) => invalid([{ path: 'file', message }])

function expectForm({ headers, body }: Request, raw?: string): void {
  const type = headers.get('content-type')
  if (!body || !type) throw noFile('Required: send multipart/form-data with the file in the field `file`')
  if (!/^multipart\/form-data\s*;/i.test(type))
    throw new AppError(
      'UNSUPPORTED_MEDIA_TYPE',
      `Send the file as multipart/form-data, in the field \`file\`${raw ? `, or by itself as ${raw}` : ''}`,
    )
  if (Number(headers.get('content-length')) > MAX_FORM) throw tooLarge()
}

function expectBody({ headers, body }: Request): void {
  if (!body) throw invalid([{ path: '', message: 'Required: send the file as the body' }])
  if (Number(headers.get('content-length')) > MAX_FILE) throw tooLarge()
}

async function receiveBody(request: Request): Promise<Received> {
  const bytes = await bytesOf(request.body as ReadableStream<Uint8Array>, MAX_FILE, tooLarge())
  if (bytes.length === 0) throw invalid([{ path: '', message: 'must not be empty' }])
  return { name: '', bytes, sha256: await digestOf(bytes) }
}

const digestOf = async (bytes: Uint8Array) => toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))

async function receiveFile(request: Request): Promise<Received> {
  const form = await formOf(request)
  const unknown = [...form.keys()].filter((name) => name !== 'file')
  if (unknown.length > 0) throw invalid(unknown.map((path) => ({ path, message: 'Unknown field: remove it, or check its spelling' })))
  const [file, ...others] = form.getAll('file')
  if (file === undefined) throw noFile('Required')
  if (others.length > 0) throw noFile('Send one file in a request')
  if (typeof file === 'string') throw noFile('must be a file, with a file name')
  if (file.size > MAX_FILE) throw tooLarge()
  if (file.size === 0) throw noFile('must not be empty')
  const bytes = new Uint8Array(await file.arrayBuffer())
  return { name: file.name, bytes, sha256: await digestOf(bytes) }
}

/** The body as a form; no more of it is read than a form may have. */
async function formOf(request: Request): Promise<FormData> {
  let size = 0
  const limited = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      size += chunk.byteLength
      if (size > MAX_FORM) controller.error(tooLarge())
      else controller.enqueue(chunk)
    },
  })
  const body = (request.body as ReadableStream<Uint8Array>).pipeThrough(limited)
  try {
    return await new Response(body, { headers: { 'content-type': request.headers.get('content-type') as string } }).formData()
  } catch {
    if (size > MAX_FORM) throw tooLarge()
    throw noFile('must be a form, as multipart/form-data is written')
  }
}

/** A stored file, to whoever has an address made by `link` and has it in time. Never shown, always saved. */
export async function serveFile(env: Env, request: Request, now: Date): Promise<Response> {
  const url = new URL(request.url)
  if (!isSigned(env.FILE_SECRET, url, now)) throw new AppError('FORBIDDEN', 'This link has expired or was altered: ask for a new one')
  const slash = url.pathname.lastIndexOf('/')
  const object = await env.FILES.get(url.pathname.slice(FOLDER.length, slash))
  if (!object) throw new AppError('NOT_FOUND', 'This file was removed')
  return new Response(object.body, {
    headers: {
      'Content-Type': object.httpMetadata?.contentType ?? 'application/octet-stream',
      'Content-Length': String(object.size),
      'Content-Disposition': dispositionOf(decodeURIComponent(url.pathname.slice(slash + 1))),
      'X-Content-Type-Options': 'nosniff',
      'Content-Security-Policy': "default-src 'none'; sandbox",
      'Cross-Origin-Resource-Policy': 'same-origin',
      'Referrer-Policy': 'no-referrer',
      'Cache-Control': 'private, no-store',
    },
  })
}
