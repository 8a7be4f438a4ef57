import * as v from 'valibot'
import type { Ctx } from '../context.ts'
import type { DecidedChildren } from '../data/children.ts'
import type { Page } from '../data/paged.ts'
import type { Plan } from '../data/plan.ts'
import type { Relation } from '../data/relations.ts'
import type { ErrorCode } from '../errors.ts'
import { pascal, spoken, withArticle } from '../lib/nouns.ts'
import { type Bulk, bulkOf } from '../schemas/bulk.ts'
import { bulkResult, Deleted } from '../schemas/common.ts'
import { Id, Ids, pageQuery } from '../schemas/fields.ts'
import type { Schema } from './endpoint.ts'
import { type Access, added, created, listOf, one, scopes } from './modes.ts'
import type { Texts } from './resource.ts'
import { registerRestore, restoreAccess } from './restore.ts'
import type { Api } from './router.ts'

/** A record with collections below it: its names in paths, scopes and summaries. */
export type ParentRecord = { name: string; param: string; scope: string }

/** The endpoints of a collection. Each has only what its pattern cannot know. */
type Verbs<New, Patch> = {
  list?: Texts & { filters?: v.ObjectEntries }
  get?: Texts
  /** `again`: adding an existing row updates it or changes nothing, so only a new one has the status 201. */
  create?: Texts & { body: v.GenericSchema<unknown, New>; again?: boolean }
  /** Creates up to `most` rows (100), each of which succeeds or fails for itself. */
  createMany?: Texts & { body: Schema; most?: number; plan: (parentId: string, records: unknown[]) => Plan<Bulk<unknown>> }
  update?: Texts & { body: v.GenericSchema<unknown, Patch> }
  remove?: Texts
  /** Registered with `remove`, unless a removal only ends a link, and for rows that are deleted elsewhere with this. */
  restore?: Texts
  /** `field` is the name of the ids in the body. */
  reorder?: Texts & { field: string }
}

type Place = {
  parent: ParentRecord
  path: `/${string}`
  /** The singular noun in operationIds, such as `bucket`. */
  name: string
  plural?: string
  /** The singular noun in summaries, if it differs: `product bucket`. */
  noun?: string
}

type Collection<R extends Schema, New, Patch> = Place &
  Verbs<New, Patch> & {
    /** The path parameter that identifies a row. */
    key: string
    rows: DecidedChildren<v.InferOutput<R>, New, Patch>
    returns: R
    /** The scopes; those of the parent by default. */
    access?: { read: Access; write: Access; remove: Access }
  }

/** Registers the list, get, create, update, delete and reorder endpoints of a collection below a record, as far as they are configured. */
export function children<R extends Schema, New extends object, Patch extends object>(to: Api, of: Collection<R, New, Patch>): void {
  const { path, key, rows, returns, list, get, create, createMany, update, remove, restore, reorder } = of
  const { parent, noun, nouns, owner, named } = wordsOf(of)
  const access = of.access ?? accessOf(parent)
  const api = to.from('children')
  const below = `/:${parent.param}${path}`
  const [ofParent, ofOne] = [paramsOf(parent.param), paramsOf(parent.param, key)]
  const parentIdOf = (params: Record<string, string>) => params[parent.param] as string
  const at = (params: Record<string, string>) => [parentIdOf(params), params[key] as string] as const

  if (list) {
    const query = v.strictObject({ ...pageQuery, ...list.filters })
    listBelow(to, { ...of, ...list, access: access.read, query, list: (id, query) => rows.list(id, query) })
  }
  if (create) {
    const { again, body, ...texts } = create
    const words = { id: named('create'), summary: `Create ${withArticle(noun)} on ${withArticle(spoken(parent.name))}`, ...texts }
    const definition = { ...words, access: access.write, params: ofParent, body, returns: again ? added(returns) : created(returns) }
    api.post(below, withErrors(definition, 'NOT_FOUND'), ({ ctx, params, body }) => rows.create(ctx, parentIdOf(params), body))
  }
  if (createMany) {
    const { body, plan, most = 100, ...texts } = createMany
    const words = {
      id: named('bulkCreate', true),
      summary: `Create up to ${most} ${nouns} on ${withArticle(spoken(parent.name))}`,
      ...texts,
    }
    const returned = one(bulkResult(returns))
    const definition = {
      ...words,
      access: access.write,
      params: ofParent,
      body: v.strictObject({ records: bulkOf(body, most) }),
      returns: returned,
    }
    api.post(
      `${below}/bulk-create`,
      withErrors(definition, 'NOT_FOUND'),
      ({ params, body }) => plan(parentIdOf(params), body.records) as Plan<v.InferOutput<typeof returned.schema>>,
    )
  }
  if (reorder) {
    const { field, ...texts } = reorder
    const words = { id: named('reorder', true), summary: `Reorder ${owner} ${nouns}`, ...texts }
    const body = v.strictObject({ [field]: Ids(100) })
    const definition = { ...words, access: access.write, params: ofParent, body, returns: listOf(returns) }
    api.post(`${below}/reorder`, withErrors(definition, 'NOT_FOUND'), ({ ctx, params, body }) =>
      rows.reorder(ctx, parentIdOf(params), body[field] ?? [], field),
    )
  }
  if (get) {
    const words = { id: named('get'), summary: `Get ${owner} ${noun}`, ...get }
    const definition = { ...words, access: access.read, params: ofOne, returns: one(returns) }
    api.get(`${below}/:${key}`, withErrors(definition, 'NOT_FOUND'), ({ params }) => rows.get(...at(params)))
  }
  if (update) {
    const { body, ...texts } = update
    const words = { id: named('update'), summary: `Update ${owner} ${noun}`, ...texts }
    const definition = { ...words, access: access.write, params: ofOne, body, returns: one(returns) }
    api.patch(`${below}/:${key}`, withErrors(definition, 'NOT_FOUND', 'PRECONDITION_FAILED'), ({ ctx, params, body }) =>
      rows.update(ctx, ...at(params), body),
    )
  }
  if (remove) {
    const words = { id: named('delete'), summary: `Delete ${owner} ${noun}`, ...remove }
    const definition = { ...words, access: access.remove, params: ofOne, returns: rows.linked ? unlinked(parent.param, key) : Deleted }
    api.delete(`${below}/:${key}`, withErrors(definition, 'NOT_FOUND', 'PRECONDITION_FAILED'), ({ ctx, params }) =>
      rows.remove(ctx, ...at(params)),
    )
  }
  if ((remove && !rows.linked) || restore) {
    registerRestore(api, {
      id: named('restore'),
      summary: `Restore ${owner} ${noun} that was deleted`,
      ...restore,
      path: `${below}/:${key}`,
      params: [parent.param, key],
      access: restoreAccess(access.write, access.remove),
      returns: one(returns),
      plan: (params) => rows.restore(...at(params)),
    })
  }
}

type ChildList<R extends Schema, Query> = Place &
  Texts & {
    query: v.GenericSchema<unknown, Query>
    returns: R
    relations?: Relation[]
    access?: Access
    list: (parentId: string, query: Query, ctx: Ctx) => Plan<Page<v.InferOutput<R>>> | Promise<Plan<Page<v.InferOutput<R>>>>
  }

/** Registers a list of the rows that belong to a record: of a collection, or of records that have paths of their own. */
export function listBelow<R extends Schema, Query>(to: Api, of: ChildList<R, Query>): void {
  const { path, returns, query, list, id, summary, description, errors, relations } = of
  const { parent, owner, named, nouns } = wordsOf(of)
  const words = { id: id ?? named('list', true), summary: summary ?? `List ${owner} ${nouns}`, ...(description && { description }) }
  const definition = {
    ...words,
    ...(errors && { errors }),
    access: of.access ?? accessOf(parent).read,
    params: paramsOf(parent.param),
    query,
    returns: listOf(returns, undefined, relations),
  }
  to.from('children').get(`/:${parent.param}${path}`, withErrors(definition, 'NOT_FOUND'), ({ ctx, params, query }) =>
    list(params[parent.param] as string, query, ctx),
  )
}

function wordsOf({ parent, name, plural = `${name}s`, noun }: Place) {
  const named = (verb: string, many = false) => verb + pascal(parent.name) + pascal(many ? plural : name)
  const nouns = noun ? `${noun}s` : spoken(plural)
  return { parent, noun: noun ?? spoken(name), nouns, named, owner: `${withArticle(spoken(parent.name))}'s` }
}

const accessOf = ({ scope }: ParentRecord) => ({
  read: scopes(`${scope}:read`),
  write: scopes(`${scope}:write`),
  remove: scopes(`${scope}:delete`),
})

const paramsOf = (...names: string[]) => v.object(Object.fromEntries(names.map((name) => [name, Id])))
const unlinked = (parent: string, key: string) => v.object({ [parent]: Id, [key]: Id, deleted: v.literal(true) })

const withErrors = <S extends { errors?: ErrorCode[] }>(definition: S, ...errors: ErrorCode[]) => ({
  ...definition,
  errors: definition.errors ?? errors,
})
