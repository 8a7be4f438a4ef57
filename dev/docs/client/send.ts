import { loadKey } from './storage.ts'

export interface Field {
  name: string
  where: 'path' | 'query' | 'header'
  required: boolean
  description: string
  example: string
  choices: string[]
}

/** An operation as the "Try it" form needs it; the generator writes these beside each page. */
export interface Call {
  method: string
  path: string
  summary: string
  isPublic: boolean
  fields: Field[]
  type?: string
  types: string[]
  body: string | null
}

export interface Given {
  values: Map<string, string>
  body?: string
  file?: File
}

export interface Sent {
  status: number
  statusText: string
  milliseconds: number
  headers: string
  body: string
}

/** Longer bodies are cut where they are shown. */
const LONGEST = 200_000

export const base = () => `${location.origin}${document.body.dataset.base ?? '/v1'}`

export function addressOf(call: Call, { values }: Given): string {
  const of = (where: Field['where']) => call.fields.filter((field) => field.where === where && values.get(field.name))
  const path = of('path').reduce((text, { name }) => text.replace(`{${name}}`, encodeURIComponent(values.get(name) as string)), call.path)
  const query = new URLSearchParams(of('query').map(({ name }) => [name, values.get(name) as string]))
  return `${base()}${path}${query.size > 0 ? `?${query}` : ''}`
}

export function headersOf(call: Call, { values, body }: Given): [string, string][] {
  const own = call.fields.filter(({ where, name }) => where === 'header' && values.get(name))
  return [
    ...own.map(({ name }) => [name, values.get(name) as string] as [string, string]),
    ...(body ? [['Content-Type', call.type ?? 'application/json'] as [string, string]] : []),
  ]
}

/** The same request for a terminal, without the key. */
export function curlOf(call: Call, given: Given): string {
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
  return [
    `curl ${call.method === 'GET' ? '' : `-X ${call.method} `}${quoted(addressOf(call, given))}`,
    ...(call.isPublic ? [] : ['-H "Authorization: Bearer $KEY"']),
    ...headersOf(call, given).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(given.body ? [`-d ${quoted(given.body)}`] : []),
    ...(given.file ? [`-F file=@${quoted(given.file.name)}`] : []),
  ].join(' \\\n  ')
}

export async function send(call: Call, given: Given, signal: AbortSignal): Promise<Sent> {
  const key = loadKey()
  const headers = new Headers([
    ...headersOf(call, given),
    ...(key && !call.isPublic ? [['Authorization', `Bearer ${key}`] as [string, string]] : []),
  ])
  const began = performance.now()
  const response = await fetch(addressOf(call, given), { method: call.method, headers, body: bodyOf(given), signal, credentials: 'omit' })
  const text = await response.text()
  return {
    status: response.status,
    statusText: response.statusText,
    milliseconds: Math.round(performance.now() - began),
    headers: [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n'),
    body: readable(text),
  }
}

function bodyOf({ body, file }: Given): BodyInit | undefined {
  if (!file) return body || undefined
  const form = new FormData()
  form.set('file', file)
  return form
}

function readable(text: string): string {
  let shown = text
  try {
    shown = JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    // Not JSON: shown unchanged.
  }
  return shown.length > LONGEST ? `${shown.slice(0, LONGEST)}\n… ${shown.length - LONGEST} more characters` : shown
}
