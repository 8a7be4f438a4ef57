-- Raised when a request was planned with a value that differs from the stored one: the batch is rolled back, and the Worker plans again
-- with the stored rows (src/data/assumptions.ts).
create or replace function refute_assumption(p_index int, p_rows jsonb) returns void language plpgsql as $$
begin
  raise exception using errcode = 'WK210', message = 'planned with a value that is not the stored one',
    detail = jsonb_build_object('index', p_index, 'rows', p_rows)::text;
end $$;

-- Ends a transaction that only checked assumptions, without the effects that these may have had.
create or replace function roll_back() returns void language plpgsql as $$
begin
  raise exception using errcode = 'WK200', message = 'checked', detail = '{}';
end $$;
