import * as v from 'valibot'
import { addTag, listTags, removeTag, type Tagged, tagRecords } from '../src/features/tags/plans/tags.ts'
import { BulkTags, Tag, TaggedRecord, TagIn, TagName } from '../src/features/tags/schemas/tags.ts'
import { scopes } from '../src/http/modes.ts'
import type { Api } from '../src/http/router.ts'
import { pascal, withArticle } from '../src/lib/nouns.ts'
import { bulkResult } from '../src/schemas/common.ts'
import { Id } from '../src/schemas/fields.ts'

/** Registers the endpoints for the tags of one record, and of up to 100 records. `plural` is also the resource of the scopes. */
export function registerTags(api: Api, plural: string, of: Tagged): void {
  const { entity } = of
  const [noun, one, key] = [pascal(entity), withArticle(entity), `${entity}_id`]
  const params = v.object({ [key]: Id })
  api.post(
    '/bulk-tags',
    {
      id: `bulkTag${pascal(plural)}`,
      summary: `Add and remove tags of up to 100 ${plural}`,
      description:
        'Every record gets the tags in add and loses those in remove; its other tags stay. Names are compared without regard to case. ' +
        'The call can be repeated safely.',
      access: scopes(`${plural}:write`),
      body: BulkTags,
      returns: bulkResult(TaggedRecord),
    },
    ({ body }) => tagRecords(of, body.ids, body),
  )
  api.get(
    `/:${key}/tags`,
    {
      id: `list${noun}Tags`,
      summary: `List ${one}'s tags`,
      access: scopes(`${plural}:read`),
      params,
      returns: v.array(Tag),
      errors: ['NOT_FOUND'],
    },
    ({ params }) => listTags(of, params[key] as string),
  )
  api.post(
    `/:${key}/tags`,
    {
      id: `add${noun}Tag`,
      summary: `Add a tag to ${one}`,
      description:
        'Without a colour, the tag gets the colour of its name in the workspace’s tag palette. ' +
        'Adding an existing tag again updates its colour, if one is sent; names are compared without regard to case. ' +
        `${one.replace(/^a/, 'A')} has at most 50 tags.`,
      access: scopes(`${plural}:write`),
      params,
      body: TagIn,
      returns: Tag,
      errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
    },
    ({ ctx, params, body }) => addTag(ctx, of, params[key] as string, body),
  )
  api.delete(
    `/:${key}/tags/:tag_name`,
    {
      id: `remove${noun}Tag`,
      summary: `Remove a tag from ${one}`,
      access: scopes(`${plural}:delete`),
      params: v.object({ [key]: Id, tag_name: TagName }),
      returns: v.object({ [key]: Id, name: v.string(), deleted: v.literal(true) }),
      errors: ['NOT_FOUND'],
    },
    ({ ctx, params }) => removeTag(ctx, of, key, params[key] as string, params.tag_name as string),
  )
}
