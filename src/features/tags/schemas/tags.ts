import * as v from 'valibot'
import { MAX_TAGS } from '../../../domain/limits.ts'
import { BulkIds } from '../../../schemas/bulk.ts'
import { named, timestamps } from '../../../schemas/common.ts'
import { describe, HexColor, Id, Name, optional, SingleLine } from '../../../schemas/fields.ts'

/** Tags of contacts, companies and opportunities. The workspace's palette offers names and colours; a record may have others. */

export const TagIn = v.strictObject({ name: describe(Name(60), 'The name of the tag.', 'VIP'), color: optional(HexColor) })

/** The tags of a record, as it is created or updated. */
export const Tags = v.pipe(
  v.array(TagIn, 'must be a list of tags'),
  v.maxLength(MAX_TAGS, `must be at most ${MAX_TAGS} tags`),
  v.transform((tags) => tags.map(({ name, color }) => ({ name, color: color ?? null }))),
)

export const Tag = named('Tag', v.object({ name: v.string(), color: v.nullable(v.string()) }))
export const TagsOut = v.array(Tag)
export const TagName = describe(Name(60), 'The name of the tag, in upper or lower case; percent-encoded in a path.', 'VIP')

/** The filter of lists by a tag. */
export const tagFilter = {
  tag: v.optional(describe(SingleLine(60), 'The name of a tag that the record has, in upper or lower case.', 'VIP')),
}

const MOST_CHANGES = 20

/** The body of a bulk call that adds tags to records and removes others. */
export const BulkTags = v.pipe(
  v.strictObject({
    ids: BulkIds(100),
    add: v.optional(
      v.pipe(
        v.array(TagIn, 'must be a list of tags'),
        v.maxLength(MOST_CHANGES, `must be at most ${MOST_CHANGES} tags`),
        v.description('Tags that each record then has. A tag that it has already gets the colour, if one is sent.'),
        v.examples([[{ name: 'VIP' }]]),
      ),
      [],
    ),
    remove: v.optional(
      v.pipe(
        v.array(TagName, 'must be a list of names'),
        v.maxLength(MOST_CHANGES, `must be at most ${MOST_CHANGES} names`),
        v.description('Names of tags that no record has afterwards, unless they are in add.'),
        v.examples([['Idle']]),
      ),
      [],
    ),
  }),
  v.forward(
    v.check(({ add, remove }) => add.length + remove.length > 0, 'must have a tag, or else remove must have a name'),
    ['add'],
  ),
)
export type BulkTags = v.InferOutput<typeof BulkTags>

export const TaggedRecord = named('TaggedRecord', v.object({ id: Id, tags: TagsOut, version: timestamps.version }))
