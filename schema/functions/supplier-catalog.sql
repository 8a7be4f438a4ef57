-- The supplier catalogue: which entry of a product is preferred, and which prices are valid.

-- A product has one preferred entry: the one that was set last. The lock lets writers of one product follow each other.
create or replace function prefer_entry() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtext('preferred_supplier'), hashtext(new.product_id::text));
  update supplier_catalog_entries set is_preferred = false
    where workspace_id = new.workspace_id and product_id = new.product_id and is_preferred and id <> new.id;
  return new;
end $$;

create or replace trigger prefer before insert or update of is_preferred, product_id on supplier_catalog_entries for each row
  when (new.is_preferred and new.product_id is not null) execute function prefer_entry();

-- At most p_limit prices at which suppliers sell so much of a product on a day, the cheapest first; of equal prices the preferred one.
create or replace function supplier_offers(p_product uuid, p_quantity numeric, p_day date, p_currency text, p_limit int)
  returns table (id uuid, is_cheapest boolean) stable language sql as $$
  select o.id, row_number() over (order by o.supplier_price, o.is_preferred desc, o.id) = 1 from supplier_catalog_entries o
    where o.product_id = p_product and o.currency = p_currency and o.min_quantity <= p_quantity
      and (o.valid_from is null or o.valid_from <= p_day) and (o.valid_to is null or o.valid_to >= p_day)
    order by o.supplier_price, o.is_preferred desc, o.id limit p_limit
$$;
