import { eq } from 'drizzle-orm'
import type * as v from 'valibot'
import { birthdayCounts, birthdayDeliveries } from '../../../../schema/index.ts'
import { db } from '../../../data/db.ts'
import { type Keys, type PageQuery, page } from '../../../data/page.ts'
import { read } from '../../../data/plan.ts'
import { columnsFor } from '../../../data/store.ts'
import { BirthdayCount, BirthdayDelivery, type birthdayDeliveryQuery } from '../schemas/birthdays.ts'

const deliveryColumns = columnsFor(birthdayDeliveries, BirthdayDelivery)
const deliveries = (keys: Keys) => db.select({ ...deliveryColumns, ...keys }).from(birthdayDeliveries)
const countColumns = columnsFor(birthdayCounts, BirthdayCount)
const counts = (keys: Keys) => db.select({ ...countColumns, ...keys }).from(birthdayCounts)

/** Lists the outcome of the birthday messages of each contact, newest first. */
export function listBirthdayDeliveries(query: v.InferOutput<typeof birthdayDeliveryQuery>) {
  const { contact_id, day } = query
  return read(
    page({
      select: deliveries,
      id: birthdayDeliveries.id,
      where: [
        contact_id === undefined ? undefined : eq(birthdayDeliveries.contact_id, contact_id),
        day === undefined ? undefined : eq(birthdayDeliveries.day, day),
      ],
      sorts: { created_at: birthdayDeliveries.created_at },
      name: 'birthday deliveries',
      query: { ...query, sort: '-created_at' },
    }),
  )
}

/** Lists how many contacts had each result, by day. */
export const listBirthdayCounts = (query: PageQuery) =>
  read(
    page({
      select: counts,
      id: birthdayCounts.id,
      where: [],
      sorts: { day: birthdayCounts.day },
      name: 'birthday counts',
      query: { ...query, sort: '-day' },
    }),
  )
