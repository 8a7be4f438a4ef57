import * as v from 'valibot'
import { archivedOut, named, timestamps } from '../../../schemas/common.ts'
import {
  Country,
  describe,
  Email,
  Id,
  Integer,
  Metadata,
  Money,
  Multiline,
  Name,
  optional,
  Phone,
  SingleLine,
  TimeZoneText,
  Url,
} from '../../../schemas/fields.ts'
import { Domain } from '../../../schemas/parsers.ts'
import { moneyOut } from '../../../schemas/pipes.ts'
import { Tags, TagsOut } from '../../tags/schemas/tags.ts'

const domains = v.pipe(
  v.array(Domain),
  v.maxLength(10, 'must be at most 10 domains'),
  v.description('Further domains of the company, by which it is recognised as by that of website_url, which need not be listed.'),
  v.examples([['example.com.au']]),
)

/** The writable fields. */
export const companyFields = {
  name: describe(Name(200), 'The company’s name.', 'Harbour Renovations'),
  description: optional(Multiline()),
  email: optional(Email),
  phone: optional(Phone),
  website_url: optional(Url),
  domains: v.optional(v.nullable(domains)),
  industry: optional(describe(SingleLine(120), 'Industry.', 'Construction')),
  account_type: optional(describe(SingleLine(80), 'One of the workspace’s account types.', 'Customer')),
  abn: optional(describe(SingleLine(30), 'Business number.', '51 824 753 556')),
  address_line1: optional(SingleLine()),
  address_line2: optional(SingleLine()),
  city: optional(describe(SingleLine(120), 'City.', 'Newcastle')),
  state: optional(describe(SingleLine(120), 'State.', 'NSW')),
  postal_code: optional(describe(SingleLine(20), 'Postal code.', '2300')),
  country: optional(
    describe(
      Country,
      'The country: a name or an ISO 3166 code, stored as its English name. ' +
        'Without it, phone numbers without a prefix are taken as Australian.',
      'Australia',
    ),
  ),
  timezone: optional(TimeZoneText),
  founded_year: optional(describe(Integer(1000, 2200), 'The year it was founded.', 1998)),
  annual_revenue: optional(describe(Money, 'Annual revenue.', 1250000)),
  employee_count: optional(describe(Integer(0), 'The number of employees.', 42)),
  parent_company_id: optional(describe(Id, 'The parent company.')),
  assigned_to: optional(describe(Id, 'The member who is responsible for it.')),
  tags: v.optional(Tags),
  notes: optional(Multiline()),
  metadata: v.optional(describe(Metadata, 'Custom field values by key. An update merges them; null removes a key.')),
  external_id: optional(describe(SingleLine(255), 'The record’s id in another system; unique in the workspace.', 'hubspot-1042')),
}

export const NewCompany = v.strictObject(companyFields)
/** A record of a file, which may have been archived in the system that it comes from. */
export const ImportedCompany = v.strictObject({ ...NewCompany.entries, archived: v.optional(archivedOut) })
export const CompanyPatch = v.strictObject({ ...v.partial(NewCompany).entries, archived: v.optional(archivedOut) })
export const CompanyPatchWithId = v.strictObject({ id: Id, ...CompanyPatch.entries })
export type NewCompany = v.InferOutput<typeof NewCompany>
export type CompanyPatch = v.InferOutput<typeof CompanyPatch>

const text = v.nullable(v.string())

export const Company = named(
  'Company',
  v.object({
    id: Id,
    name: v.string(),
    description: text,
    email: text,
    phone: v.pipe(text, v.description('The phone number in E.164.')),
    website_url: text,
    domains: v.array(v.string()),
    industry: text,
    account_type: text,
    abn: text,
    address_line1: text,
    address_line2: text,
    city: text,
    state: text,
    postal_code: text,
    country: text,
    timezone: text,
    founded_year: v.nullable(v.pipe(v.number(), v.integer())),
    annual_revenue: v.nullable(moneyOut),
    employee_count: v.nullable(v.pipe(v.number(), v.integer())),
    parent_company_id: v.nullable(Id),
    assigned_to: v.nullable(Id),
    tags: TagsOut,
    notes: text,
    metadata: v.record(v.string(), v.unknown()),
    external_id: text,
    archived: archivedOut,
    ...timestamps,
  }),
)
