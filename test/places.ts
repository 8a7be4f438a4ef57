import { openPlace, type Place } from './database.ts'

/** After so many files a database is given up: nothing vacuums or analyses it, so each request takes longer and longer. */
export const MOST_FILES = 8
/** An emptied one may serve more. */
const MOST_EMPTIED = 16

/** A database that one file after another uses, what its catalogs were when it was new, and how many files have used it. */
interface Kept {
  place: Place
  catalogs: string
  files: number
}
/** By whether the database is on a server of its own. */
const kept = new Map<boolean, Kept>()

/**
 * A database without a workspace, on the common server or on one of its own, for one file of a process at a time. The next file gets it
 * again: the sessions of a new one plan every statement anew, which takes as long as the tests of a short file.
 */
export async function borrowPlace(ownServer: boolean): Promise<Place> {
  const found = kept.get(ownServer)
  if (found) return found.place
  const place = await openPlace({ ownServer })
  kept.set(ownServer, { place, catalogs: await catalogsOf(place), files: 0 })
  return place
}

/**
 * Empties a borrowed database for the next file, if it `isAtRest`. False: it is used up, or not as it was when it was new, or was never
 * borrowed here, and the caller closes it.
 */
export async function isKept(place: Place, isAtRest: boolean): Promise<boolean> {
  const [ownServer, lent] = [...kept].find(([, one]) => one.place === place) ?? []
  if (ownServer === undefined || !lent) return false
  lent.files += 1
  try {
    if (isAtRest && lent.files < MOST_EMPTIED && (await catalogsOf(place)) === lent.catalogs) {
      await empty(place)
      return true
    }
  } catch {
    // It cannot be used again.
  }
  kept.delete(ownServer)
  return false
}

/** The number of rows of each catalog and the last transaction that wrote one, which every change of the schema or analysis changes. */
async function catalogsOf({ owner }: Place): Promise<string> {
  const catalogs = ['class', 'attribute', 'proc', 'trigger', 'policy', 'constraint', 'index', 'statistic', 'authid', 'db_role_setting']
  const parts = catalogs.map((name) => `(select (count(*), max(xmin::text::bigint))::text from pg_${name})`)
  const { rows } = await owner.query(`select concat_ws(';', ${parts.join(', ')}) as catalogs`)
  return rows[0].catalogs
}

/** Deletes all rows; after a truncation every statement would have to be planned anew. */
async function empty(place: Place): Promise<void> {
  await place.owner.query(`do $$
    declare name text;
    begin
      set local session_replication_role = replica;
      for name in
        select oid::regclass from pg_class
        where relkind = 'r' and relnamespace not in (select oid from pg_namespace where nspname ~ '^pg_|^information_schema$|^drizzle$')
          and pg_relation_size(oid) > 0
      loop
        execute 'delete from ' || name;
      end loop;
    end $$`)
  await place.renewOwner()
}
