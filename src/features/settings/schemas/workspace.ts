import * as v from 'valibot'
import { named, timestamps } from '../../../schemas/common.ts'
import { describe, Email, HexColor, Id, Multiline, Name, optional, SingleLine, Url } from '../../../schemas/fields.ts'
import { LocalPhone, Zone } from '../../../schemas/parsers.ts'
import { parse } from '../../../schemas/pipes.ts'

const Slug = v.pipe(
  v.string('must be a slug'),
  v.regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must be lower-case letters and digits, joined by single hyphens, such as harbour-renovations'),
  v.maxLength(63, 'must be at most 63 characters long'),
  v.description('The workspace’s name in URLs; unique among all workspaces.'),
  v.examples(['harbour-renovations']),
)

const MOST_ORIGINS = 20
const ORIGIN = 'must be an origin: scheme and host, without a path, such as https://app.example.com'

/** An origin as browsers send it: https, or http on this computer. */
function toOrigin(sent: string): string | undefined {
  const url = URL.canParse(sent) ? new URL(sent) : undefined
  const isLocal = url !== undefined && ['localhost', '127.0.0.1'].includes(url.hostname)
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLocal)
  return url && isSafe && /^[a-z0-9.-]+$/.test(url.hostname) && [url.origin, `${url.origin}/`].includes(sent.toLowerCase())
    ? url.origin
    : undefined
}

/** A list of origins. */
export const Origins = (what: string, example: string) =>
  v.pipe(
    v.array(v.pipe(v.string(ORIGIN), v.trim(), v.maxLength(255, ORIGIN), parse('origin', toOrigin, ORIGIN)), 'must be a list of origins'),
    v.maxLength(MOST_ORIGINS, `must contain at most ${MOST_ORIGINS} origins`),
    v.description(what),
    v.examples([[example]]),
    v.transform((origins) => [...new Set(origins)]),
  )

/** The writable fields of the workspace. The sender address is not among them: it belongs to the email configuration. */
export const WorkspacePatch = v.strictObject({
  name: v.optional(describe(Name(200), 'The workspace’s name.', 'Harbour Renovations')),
  slug: v.optional(Slug),
  description: optional(Multiline(2000)),
  contact_name: optional(describe(SingleLine(120), 'The name of the contact person.', 'Ana Lee')),
  contact_email: optional(Email),
  phone: optional(LocalPhone),
  logo_url: optional(Url),
  primary_color: optional(HexColor),
  secondary_color: optional(HexColor),
  address: optional(describe(Multiline(500), 'Postal address.', '12 Bridge Street, Newcastle NSW 2300')),
  timezone: v.optional(Zone),
  industry: optional(describe(SingleLine(120), 'Industry.', 'Construction')),
  website_url: optional(Url),
  abn: optional(describe(SingleLine(30), 'Business number.', '51 824 753 556')),
  allowed_origins: v.optional(
    Origins(
      `The web pages that may call the API with a key of the workspace: at most ${MOST_ORIGINS} origins, https or http://localhost. ` +
        'Browsers are refused on all others.',
      'https://app.example.com',
    ),
  ),
})
export type WorkspacePatch = v.InferOutput<typeof WorkspacePatch>

const text = v.nullable(v.string())

export const Workspace = named(
  'Workspace',
  v.object({
    id: Id,
    name: v.string(),
    slug: v.string(),
    description: text,
    contact_name: text,
    contact_email: text,
    phone: text,
    logo_url: text,
    primary_color: text,
    secondary_color: text,
    address: text,
    timezone: v.string(),
    industry: text,
    website_url: text,
    abn: text,
    allowed_origins: v.pipe(v.array(v.string()), v.description('The web pages that may call the API with a key of the workspace.')),
    ...timestamps,
  }),
)
