import { storableJson } from '../../../lib/text.ts'
import { valueAtPath } from '../../webhooks/rules/mapping.ts'

/** What another service returned; nothing without a response. */
export type RequestResponse = { status?: number | null; body?: string | null }

/** The most characters of a body that is kept whole. */
const MAX_BODY = 10_000

/**
 * The output of an HTTP step: the status with the body, which is read as JSON where it is JSON, or with the values at the paths of the
 * mapping.
 */
export function requestOutput(mapping: Record<string, string> | undefined, { status = null, body = null }: RequestResponse) {
  const read = storableJson(body ?? '')
  if (!mapping) return { status, body: body !== null && body.length > MAX_BODY ? body.slice(0, MAX_BODY).toWellFormed() : (read ?? body) }
  return { status, ...Object.fromEntries(Object.entries(mapping).map(([name, path]) => [name, valueAtPath(read, path) ?? null])) }
}
