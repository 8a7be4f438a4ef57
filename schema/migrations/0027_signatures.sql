-- Released with a second parameter. Beside a function of the same name `revoke … on function finish_import` would be ambiguous.
drop function if exists finish_import(uuid, text);
