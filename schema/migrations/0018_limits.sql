-- A transaction ends before the Worker's deadline for it (20 s, src/data/batch.ts), whoever holds it open.
alter role app set transaction_timeout = '18s';
alter role app set idle_in_transaction_session_timeout = '10s';
--> statement-breakpoint
-- Words that learn_words did not take for words, because they are not of ASCII.
insert into search_words (workspace_id, word, typo_keys)
  select workspace_id, word, typo_keys(workspace_id, word)
  from (
    select distinct n.workspace_id, w.word
    from (select workspace_id, name_norm from contacts union all select workspace_id, name_norm from companies union all select workspace_id, name_norm from opportunities) n,
      unnest(words_of(n.name_norm)) w(word)
    where n.name_norm ~ '[^ -~]' and w.word ~ '[^ -~]' and w.word collate "default" ~ '^[[:alpha:]]{3,60}$'
  ) words
  on conflict do nothing;
