import { contentTypeOf, dispositionOf } from '../domain/file-names.ts'
import { MAX_UPLOAD_BYTES } from '../domain/files.ts'
import type { Env } from '../env.ts'
import { AppError, invalid } from '../errors.ts'
import { isSigned, signPath } from '../lib/signed-paths.ts'
import type { Files, Received } from '../providers/files/port.ts'
import { UNKNOWN } from '../schemas/issues.ts'
import type { FormFields } from './modes.ts'
import { boundaryIn, partsOf } from './multipart.ts'
import { Collected, reached, Upload } from './upload.ts'

/** By how many bytes a form may be larger than its file. */
const FORM_MARGIN = 16_384
/** The longest text of another field of the form. */
const MAX_FIELD = 200
const LINK_SECONDS = 60
const FOLDER = '/files/'

/** The files of one request. Its body is a form, or a file of one of the types of `content` by itself. */
export function filesOf(env: Env, request: Request, content: Accepted = {}): Files {
  const { types: raw = [], max = MAX_UPLOAD_BYTES } = content
  const isRaw = raw.some((type) => type.toLowerCase() === typeOf(request))
  const receiveInto = async <Out extends Received>(sink: Sink<Out>): Promise<Out> => {
    const file = await receive(sink, request, isRaw, content)
    files.digest = [file.sha256, file.name, ...Object.entries(file.fields).map(([name, value]) => `${name}=${value}`)].join(' ')
    return file
  }
  const files: Files = {
    ...storeOf(env),
    digest: undefined,
    expect: () => (isRaw ? expectBody(request) : expectForm(request, content)),
    expected: () => Math.min(max, Number(request.headers.get('content-length')) || max),
    receive: (key, inspector) => receiveInto(new Upload(env.FILES, key, inspector)),
    collect: () => receiveInto(new Collected()),
    link(key, name, now) {
      const expires = Math.floor(now.getTime() / 1000) + LINK_SECONDS
      return { url: new URL(filePath(env, key, name, expires), request.url).href, expires_at: new Date(expires * 1000).toISOString() }
    },
  }
  return files
}

type Accepted = { types?: readonly string[]; fields?: FormFields; max?: number }
/** What takes the bytes of a file. */
type Sink<Out> = {
  add(chunk: Uint8Array): void | Promise<void>
  end(name: string, fields?: Record<string, string>): Promise<Out>
  discard(): Promise<void>
}

/** The signed path of a stored file, which works until a time in seconds. */
export const filePath = (env: Env, key: string, name: string, expires: number): string =>
  signPath(env.FILE_SECRET, `${FOLDER}${key}/${encodeURIComponent(name)}`, expires)

/** The operations that need no request, so that queues can use them too. */
export function storeOf(env: Env): Pick<Files, 'read' | 'replace' | 'remove' | 'put'> {
  return {
    async read(key, range) {
      const object = await reached(env.FILES.get(key, { range }))
      if (!object) throw new AppError('NOT_FOUND', 'The file was lost in storage: upload it again')
      return new Uint8Array(await reached(object.arrayBuffer()))
    },
    async replace(key, pieces) {
      const upload = new Upload(env.FILES, key, { add: () => {}, judge: async () => undefined })
      try {
        for await (const piece of pieces) await upload.add(piece)
        await upload.end('')
      } catch (error) {
        await upload.discard()
        throw error
      }
    },
    remove: (key) => reached(env.FILES.delete(key)),
    async put(key, bytes) {
      await reached(env.FILES.put(key, bytes))
    },
  }
}

const typeOf = ({ headers }: Request) => headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()

const tooLarge = (max = MAX_UPLOAD_BYTES) =>
  new AppError('PAYLOAD_TOO_LARGE', `The file is larger than ${max < 1_000_000 ? `${max / 1000} KB` : `${max / 1024 ** 2} MB`}`)
const noFile = (message: string) => invalid([{ path: 'file', message }])

function expectForm({ headers, body }: Request, { types: raw = [], max = MAX_UPLOAD_BYTES }: Accepted): void {
  const type = headers.get('content-type')
  if (!body || !type) throw noFile('Required: send multipart/form-data with the file in the field `file`')
  if (!/^multipart\/form-data\s*;/i.test(type))
    throw new AppError(
      'UNSUPPORTED_MEDIA_TYPE',
      `Send the file as multipart/form-data, in the field \`file\`${raw.length > 0 ? `, or by itself as ${raw.join(' or ')}` : ''}`,
    )
  if (Number(headers.get('content-length')) > max + FORM_MARGIN) throw tooLarge(max)
}

function expectBody({ headers, body }: Request): void {
  if (!body) throw invalid([{ path: '', message: 'Required: send the file as the body' }])
  if (Number(headers.get('content-length')) > MAX_UPLOAD_BYTES) throw tooLarge()
}

const noBody = (message: string) => invalid([{ path: '', message }])

/** Takes the file in the body or in its form. */
async function receive<Out extends Received>(sink: Sink<Out>, request: Request, isRaw: boolean, content: Accepted): Promise<Out> {
  try {
    return await (isRaw ? receiveBody(sink, request) : receiveForm(sink, request, content))
  } catch (error) {
    await sink.discard()
    throw error
  }
}

async function receiveBody<Out>(upload: Sink<Out>, request: Request) {
  let size = 0
  for await (const chunk of request.body as ReadableStream<Uint8Array>) {
    size += chunk.byteLength
    if (size > MAX_UPLOAD_BYTES) throw tooLarge()
    await upload.add(chunk)
  }
  if (size === 0) throw noBody('must not be empty')
  return upload.end('')
}

async function receiveForm<Out>(upload: Sink<Out>, request: Request, { fields = {}, max = MAX_UPLOAD_BYTES }: Accepted) {
  const form = limited(request.body as ReadableStream<Uint8Array>, max)
  const unknown: string[] = []
  const values: Record<string, string> = {}
  let name: string | undefined
  let size = 0
  for await (const part of partsOf(form, boundaryIn(request.headers.get('content-type') ?? ''))) {
    if (Object.hasOwn(fields, part.name)) {
      if (part.name in values) throw invalid([{ path: part.name, message: 'Send this field once' }])
      values[part.name] = await textOf(part.body)
    } else if (part.name !== 'file') unknown.push(part.name)
    else if (part.file_name === undefined) throw noFile('must be a file, with a file name')
    else if (name !== undefined) throw noFile('Send one file in a request')
    else {
      name = part.file_name
      for await (const chunk of part.body) {
        size += chunk.byteLength
        if (size > max) throw tooLarge(max)
        await upload.add(chunk)
      }
    }
  }
  const message = name === undefined ? 'Unknown field: did you mean file? Send the file in the field `file`' : UNKNOWN
  if (unknown.length > 0) throw invalid(unknown.map((path) => ({ path, message })))
  checkFields(fields, values)
  if (name === undefined) throw noFile('Required: send the file in the field `file`')
  if (size === 0) throw noFile('must not be empty')
  return upload.end(name, values)
}

async function textOf(body: AsyncGenerator<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of body) if (text.length <= MAX_FIELD) text += decoder.decode(chunk, { stream: true })
  return text
}

/** @throws VALIDATION_ERROR for a missing field and for an unknown value. */
function checkFields(fields: FormFields, sent: Record<string, string>): void {
  const issues = Object.entries(fields).flatMap(([path, { values, required }]) => {
    const value = sent[path]
    if (value === undefined) return required ? [{ path, message: `Required: one of ${values.join(', ')}` }] : []
    return values.includes(value) ? [] : [{ path, message: `must be one of: ${values.join(', ')}` }]
  })
  if (issues.length > 0) throw invalid(issues)
}

/** The same stream, which fails when it is longer than a form with a file of `max` bytes. */
function limited(stream: ReadableStream<Uint8Array>, max: number): ReadableStream<Uint8Array> {
  let size = 0
  return stream.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        size += chunk.byteLength
        if (size > max + FORM_MARGIN) controller.error(tooLarge(max))
        else controller.enqueue(chunk)
      },
    }),
  )
}

/** Serves a stored file to the holder of an unexpired address made by `link`. Browsers save it and never display it. */
export async function serveFile(env: Env, request: Request, now: Date): Promise<Response> {
  const url = new URL(request.url)
  if (!isSigned(env.FILE_SECRET, url, now)) throw new AppError('FORBIDDEN', 'This link has expired or was altered: ask for a new one')
  const slash = url.pathname.lastIndexOf('/')
  const object = await reached(env.FILES.get(url.pathname.slice(FOLDER.length, slash)))
  if (!object) throw new AppError('NOT_FOUND', 'This file was removed')
  return new Response(object.body, {
    headers: {
      'Content-Type': contentTypeOf(decodeURIComponent(url.pathname.slice(slash + 1))),
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
