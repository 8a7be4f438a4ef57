import * as v from 'valibot'
import { named, timestamps } from './common.ts'
import { describe, Email, HexColor, Id, Multiline, Name, optional, SingleLine, Url } from './fields.ts'
import { LocalPhone, Zone } from './parsers.ts'

const Slug = v.pipe(
  v.string('must be a slug'),
  v.regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must be lower-case letters and digits, joined by single hyphens, such as harbour-renovations'),
  v.maxLength(63, 'must be at most 63 characters long'),
  v.description('The workspace’s name in URLs; unique among all workspaces.'),
  v.examples(['harbour-renovations']),
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
    ...timestamps,
  }),
)
