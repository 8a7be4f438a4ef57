import { fixed, half, id, type Load, one, oneOf, text, word } from './values.ts'

/** A vector whose direction depends on the row. */
export const vector = `array(select sin(n * d) from generate_series(1, 1024) d)::real[]::halfvec`
/** A base has at most 5,000 entries. */
const bases = (size: number) => Math.max(5, Math.ceil(size / 5_000))

/** Knowledge bases with their entries and some of their chunks (see LOADS). */
export const KNOWLEDGE: Load[] = [
  { table: 'knowledge_bases', count: bases, columns: fixed({ id: id('knowledgeBase', 'n'), name: word }) },
  {
    table: 'knowledge_entries',
    count: half,
    columns: {
      ...fixed({
        id: id('knowledgeEntry', 'n'),
        source: oneOf('text', 'url', 'help_center'),
        source_key: `'key ' || n`,
        title: word,
        text,
        status: oneOf('ready', 'ready', 'failed'),
        chunk_count: '1',
      }),
      knowledge_base_id: (size) => one('knowledgeBase', bases(size)),
    },
  },
  {
    table: 'knowledge_chunks',
    count: (size) => size / 20,
    columns: fixed({
      id: id('knowledgeChunk', 'n'),
      entry_id: id('knowledgeEntry', 'n'),
      rank: '1',
      heading_path: `'{}'::text[]`,
      text: word,
      sha256: `md5(n::text)`,
      lexemes: `to_tsvector('simple', ${word})`,
      word_count: '1',
      model: `'text-embedding-3-small'`,
      embedding: vector,
      created_at: 'created',
    }),
    unstamped: true,
  },
  {
    table: 'memories',
    count: half,
    columns: fixed({
      id: id('memory', 'n'),
      contact_id: one('contact', 50),
      topic: `'topic ' || n`,
      text: word,
      source_type: oneOf('member', 'contact'),
      source_id: one('contact', 50),
    }),
  },
  {
    table: 'memory_vectors',
    count: (size) => size / 20,
    columns: fixed({ id: id('memory', 'n'), model: `'text-embedding-3-small'`, embedding: vector, created_at: 'created' }),
    unstamped: true,
  },
]
