import * as v from 'valibot'

const Parameter = v.optional(v.string())

/** The parameters of pages for people without a key, as far as pageRequest leaves them. */
export const visitorQuery = v.strictObject({
  lang: Parameter,
  tz: Parameter,
  day: Parameter,
  from: Parameter,
  next: Parameter,
  month: Parameter,
  at: Parameter,
  duration: Parameter,
  done: Parameter,
  visitor_zone: Parameter,
  name: Parameter,
  email: Parameter,
  phone: Parameter,
})
