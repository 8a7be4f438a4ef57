-- Filled by its slice.
select 1;
