import * as v from 'valibot'
import { type BundleToCreate, type ComplianceProvider, type CreatedAddress, type Evaluation, Refused } from './port.ts'
import { type Options as AccountOptions, type Ask, outcomeOf, readJson, reasonOf, twilioAsker } from './twilio.ts'

/** `complianceUrl`: https://numbers.twilio.com, or a service with the same API. */
export type Options = AccountOptions & { complianceUrl: string }

const text = v.optional(v.nullable(v.string()), null)
const flag = v.optional(
  v.pipe(
    v.nullable(v.boolean()),
    v.transform((value) => value ?? false),
  ),
  false,
)
const Address = v.object({ sid: v.string(), validated: flag })
const Addresses = v.object({ addresses: v.array(v.object({ ...Address.entries, friendly_name: text })) })
const Created = v.object({ sid: v.string() })
const Bundle = v.object({ sid: v.string(), status: v.string(), friendly_name: v.string(), valid_until: text })
const Document = v.object({ failure_reason: text })
const Named = v.object({
  results: v.array(v.object({ sid: v.string(), friendly_name: text, object_sid: text })),
  meta: v.object({ next_page_url: text }),
})
const Failing = v.object({ friendly_name: text, object_field: text, failure_reason: text })
const Requirement = v.object({
  requirement_name: v.string(),
  requirement_friendly_name: text,
  friendly_name: text,
  object_type: text,
  passed: v.boolean(),
  failure_reason: text,
  invalid: v.optional(v.nullable(v.array(Failing)), []),
})
const Evaluated = v.object({
  sid: v.string(),
  status: v.picklist(['compliant', 'noncompliant']),
  date_created: v.string(),
  results: v.array(Requirement),
})
const EvaluatedList = v.object({ results: v.array(Evaluated) })

const REJECTED = 'twilio-rejected'
const PAGE = 100
/** The pages of a search for something that has no filter. */
const MAX_PAGES = 10

/**
 * A client for Twilio's addresses (2010-04-01, Address resource) and regulatory compliance (numbers.twilio.com/v2,
 * https://www.twilio.com/docs/phone-numbers/regulatory/api). Nothing there has an idempotency key: what is created has our name, by which
 * it is found again.
 */
export function twilioCompliance({ complianceUrl, ...options }: Options): ComplianceProvider {
  const core = twilioAsker(options)
  const ask = twilioAsker(options, `${complianceUrl}/v2/RegulatoryCompliance`)

  const find = async (path: string, name: string): Promise<string | undefined> =>
    (await listed(ask, path, complianceUrl)).find(({ friendly_name }) => friendly_name === name)?.sid
  const createOnce = async (isAgain: boolean, path: string, form: Record<string, string> & { FriendlyName: string }, filter = '') =>
    (isAgain ? await find(path + filter, form.FriendlyName) : undefined) ?? v.parse(Created, await created(ask, path, form)).sid

  async function assign(bundle: string, objects: string[], isAgain: boolean) {
    const path = `/Bundles/${bundle}/ItemAssignments`
    const known = isAgain ? (await listed(ask, path, complianceUrl)).map(({ object_sid }) => object_sid) : []
    for (const object of objects) if (!known.includes(object)) await created(ask, path, { ObjectSid: object })
  }

  const findAddress = async (name: string): Promise<CreatedAddress | undefined> => {
    const query = new URLSearchParams({ FriendlyName: name, PageSize: '20' })
    const { addresses } = v.parse(Addresses, await readJson(core, `/Addresses.json?${query}`))
    const found = addresses.find(({ friendly_name }) => friendly_name === name)
    return found && { id: found.sid, validated: found.validated }
  }

  /** Why a bundle was rejected: its documents say so, and the bundle itself does not. Null if none of them does. */
  async function rejectionOf(bundle: string): Promise<string | null> {
    const assigned = await listed(ask, `/Bundles/${bundle}/ItemAssignments`, complianceUrl)
    const documents = assigned.flatMap(({ object_sid }) => (object_sid?.startsWith('RD') ? [object_sid] : []))
    const read = async (sid: string) => v.parse(Document, await readJson(ask, `/SupportingDocuments/${sid}`)).failure_reason
    const reasons = (await Promise.all(documents.map(read))).filter((reason) => reason !== null && reason !== '')
    return [...new Set(reasons)].join('; ') || null
  }

  return {
    async createAddress({ name, customer_name, street, street_secondary, city, region, postal_code, country }) {
      const form = {
        CustomerName: customer_name,
        Street: street,
        City: city,
        Region: region,
        PostalCode: postal_code,
        IsoCountry: country,
        FriendlyName: name,
        ...(street_secondary && { StreetSecondary: street_secondary }),
      }
      const { sid, validated } = v.parse(Address, await created(core, '/Addresses.json', form))
      return { id: sid, validated }
    },
    findAddress,
    async createBundle(bundle, isAgain) {
      const sid = await createOnce(isAgain, '/Bundles', bundleForm(bundle), `?${new URLSearchParams({ FriendlyName: bundle.name })}`)
      const endUser = { FriendlyName: bundle.name, Type: bundle.end_user_type, Attributes: JSON.stringify(bundle.end_user) }
      const objects = [await createOnce(isAgain, '/EndUsers', endUser)]
      for (const [n, { type, attributes, address_sids }] of bundle.documents.entries()) {
        const all = { ...attributes, ...(address_sids.length > 0 && { address_sids }) }
        const form = { FriendlyName: `${bundle.name} ${n + 1}`, Type: type, Attributes: JSON.stringify(all) }
        objects.push(await createOnce(isAgain, '/SupportingDocuments', form))
      }
      await assign(sid, objects, isAgain)
      return { id: sid }
    },
    async bundle(id) {
      const detail = detailOf(await readJson(ask, `/Bundles/${id}`))
      return detail.status === REJECTED ? { ...detail, failure_reason: await rejectionOf(id) } : detail
    },
    async evaluations(id) {
      const { results } = v.parse(EvaluatedList, await readJson(ask, `/Bundles/${id}/Evaluations?PageSize=20`))
      return results.map(evaluationOf)
    },
    evaluate: async (id) => evaluationOf(v.parse(Evaluated, await created(ask, `/Bundles/${id}/Evaluations`, {}))),
    async deleteAddress({ name, id }) {
      const sid = id ?? (await findAddress(name))?.id
      if (sid) await deleted(core, `/Addresses/${encodeURIComponent(sid)}.json`)
    },
    async deleteBundle({ name, id }) {
      const sid = id ?? (await find(`/Bundles?${new URLSearchParams({ FriendlyName: name })}`, name))
      if (sid) await deleted(ask, `/Bundles/${encodeURIComponent(sid)}`)
      for (const path of ['/EndUsers', '/SupportingDocuments']) {
        const parts = (await listed(ask, path, complianceUrl)).filter(
          (one) => one.friendly_name === name || one.friendly_name?.startsWith(`${name} `),
        )
        for (const part of parts) await deleted(ask, `${path}/${encodeURIComponent(part.sid)}`)
      }
    },
    submit: async (id) => detailOf(await created(ask, `/Bundles/${id}`, { Status: 'pending-review' })),
  }
}

const bundleForm = ({ name, email, country, number_type, end_user_type, status_url }: BundleToCreate) => ({
  FriendlyName: name,
  Email: email,
  IsoCountry: country,
  NumberType: number_type.replace('_', '-'),
  EndUserType: end_user_type,
  StatusCallback: status_url,
})

function detailOf(reply: unknown) {
  const { sid, ...detail } = v.parse(Bundle, reply)
  return { id: sid, ...detail, failure_reason: null }
}

const evaluationOf = ({ sid, status, date_created, results }: v.InferOutput<typeof Evaluated>): Evaluation => ({
  id: sid,
  status,
  created_at: new Date(date_created).toISOString(),
  requirements: results.map(
    ({ requirement_name, requirement_friendly_name, friendly_name, object_type, passed, failure_reason, invalid }) => ({
      name: requirement_name,
      friendly_name: requirement_friendly_name ?? friendly_name ?? requirement_name,
      passed,
      object_type: object_type ?? '',
      failure_reason,
      invalid: (invalid ?? []).map((one) => ({ field: one.object_field ?? one.friendly_name ?? '', reason: one.failure_reason })),
    }),
  ),
})

/** Sends a change. @throws Refused for a response that says that nothing has changed. */
async function created(ask: Ask, path: string, form: Record<string, string>): Promise<unknown> {
  const response = await ask(path, form)
  const reply: unknown = await response.json().catch(() => undefined)
  if (response.ok && reply !== undefined) return reply
  const reason = reasonOf(response.status, reply)
  if (outcomeOf(response.status) === 'refused') throw new Refused(reason)
  throw new Error(`The provider of phone numbers answers: ${reason}`)
}

/** Deletes something; one that is not there is deleted already. @throws Refused for a response that says that it remains. */
async function deleted(ask: Ask, path: string): Promise<void> {
  const response = await ask(path, undefined, 'DELETE')
  const reply: unknown = await response.json().catch(() => undefined)
  if (response.ok || response.status === 404) return
  const reason = reasonOf(response.status, reply)
  if (outcomeOf(response.status) === 'refused') throw new Refused(reason)
  throw new Error(`The provider of phone numbers answers: ${reason}`)
}

/** The records of a list, at most MAX_PAGES pages. */
async function listed(ask: Ask, path: string, base: string): Promise<v.InferOutput<typeof Named>['results']> {
  const found: v.InferOutput<typeof Named>['results'] = []
  let next: string | null = `${path}${path.includes('?') ? '&' : '?'}PageSize=${PAGE}`
  for (let page = 0; next !== null && page < MAX_PAGES; page++) {
    const { results, meta }: v.InferOutput<typeof Named> = v.parse(Named, await readJson(ask, next))
    found.push(...results)
    // The provider names whole addresses: only the part below the API is used, so that nothing else is ever called.
    next = meta.next_page_url?.replace(`${base}/v2/RegulatoryCompliance`, '') ?? null
    if (next !== null && !next.startsWith('/')) throw new Error('The provider of phone numbers names a page elsewhere')
  }
  return found
}
