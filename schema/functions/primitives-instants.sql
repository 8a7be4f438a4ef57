-- The smallest UUID v7 of an instant.
create or replace function id_at(p_at timestamptz) returns uuid immutable strict parallel safe language sql
  return (lpad(to_hex(greatest(0, floor(extract(epoch from p_at) * 1000))::bigint), 12, '0') || repeat('0', 20))::uuid;

-- The instant of a UUID v7 or of a partition bound.
create or replace function instant_of(p_id uuid) returns timestamptz immutable strict parallel safe language sql
  return to_timestamp(('x' || left(replace(p_id::text, '-', ''), 12))::bit(48)::bigint / 1000.0);
