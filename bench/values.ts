/** Values of columns as SQL, in terms of the row's number `n` and its time `created`. */

export const OWNERS = 200
export const LEAD_SOURCES = 20
export const STAKEHOLDER_TYPES = 5
const KINDS = {
  user: 1,
  leadSource: 2,
  company: 3,
  contact: 4,
  opportunity: 5,
  link: 6,
  product: 7,
  change: 8,
  invoice: 9,
  employer: 10,
  task: 11,
  activity: 12,
  stakeholder: 13,
  stakeholderType: 14,
  member: 15,
  request: 16,
  lineItem: 17,
  bucket: 18,
  cost: 19,
  billingParty: 20,
  attachment: 21,
  teamMember: 22,
  taskStakeholder: 23,
  approval: 24,
  dismissal: 25,
  merge: 26,
  importRow: 27,
  stageMove: 28,
  import: 29,
  erased: 30,
  eventType: 31,
  booking: 32,
  queue: 33,
  queueStep: 34,
  queueWait: 35,
  queueVersion: 36,
  enrolment: 37,
  listEnrolment: 38,
  emailThread: 39,
  smsConversation: 40,
  whatsappConversation: 43,
  whatsappGroup: 41,
  whatsappMessage: 91,
  groupMessage: 92,
  notice: 72,
  copy: 79,
  connection: 80,
  waiting: 90,
  notetaker: 47,
  voiceAgentConfig: 42,
  component: 93,
  instance: 94,
  workStatus: 95,
  profile: 120,
  review: 121,
  reviewRequest: 133,
  caseStudy: 122,
  serviceRequest: 123,
  serviceRequestNote: 124,
  lead: 125,
  initiative: 126,
  leadStep: 127,
  leadEnrolment: 128,
  leadTask: 129,
  knowledgeBase: 130,
  knowledgeEntry: 131,
  knowledgeChunk: 132,
  memory: 134,
  workOrder: 96,
  workStakeholder: 97,
  portal: 98,
} as const

/** The id of the n-th record of its kind. Ids sort by creation time, like UUIDs of version 7. */
export const id = (kind: keyof typeof KINDS, n: string) => `pg_temp.nth_id(${KINDS[kind]}, ${n})`
export const one = (kind: keyof typeof KINDS, count: number) => id(kind, `1 + floor(random() * ${count})::bigint`)
export const oneOf = (...texts: string[]) => `(array['${texts.join("','")}'])[1 + floor(random() * ${texts.length})::int]`
/** The value for this share of the rows, null for the others. */
export const some = (share: number, value: string) => `case when random() < ${share} then ${value} end`
export const name = `initcap(${oneOf('ana', 'ben', 'chloe', 'dara', 'emil', 'fay', 'gus', 'hana', 'ivo', 'june', 'kai', 'lena')})`
export const word = `initcap(substr(translate(md5(random()::text), '0123456789', 'aeioulnrst'), 1, 4 + floor(random() * 6)::int))`
export const text = `repeat(${word} || ' met us at the fair and asked for prices. ', 1 + floor(random() * 6)::int)`
export const money = `round((exp(5 + random() * 6))::numeric, 2)`

/** Creation times are spread evenly over three years, up to now for the `last` row; one row in three was changed later. */
export const stamps = (last: number) => `now() - interval '3 years' * (1 - n / ${last}::float8)`
export const changed = `case when random() < 0.33 then created + (now() - created) * random() else created end`

/** `unstamped`: the table has no times of creation and change. */
export type Load = { table: string; count(size: number): number; columns: Record<string, (size: number) => string>; unstamped?: true }

export const fixed = (columns: Record<string, string>) =>
  Object.fromEntries(Object.entries(columns).map(([column, value]) => [column, () => value]))
export const companies = (size: number) => Math.max(20, size / 10)
export const half = (size: number) => size / 2
