/** How every page looks that people open without a key. A family of pages adds its own rules after it. */
export const STYLE = `:root{color-scheme:light dark;--text:#1a1a1a;--soft:#52565c;--back:#fff;--line:#767b83;--tint:#eef3f9;\
--act:#0b5394;--on:#fff;--bad:#a1160a}
@media(prefers-color-scheme:dark){:root{--text:#f0f0f0;--soft:#b9bec6;--back:#15181c;--line:#8a9099;--tint:#232a33;\
--act:#9cc7f5;--on:#10151b;--bad:#ffa69b}}
*{box-sizing:border-box}body{font:1.0625rem/1.55 system-ui,sans-serif;margin:0;color:var(--text);background:var(--back);\
border-top:.4rem solid var(--brand,var(--act))}
main,header,footer{max-width:40rem;margin:0 auto;padding:0 1rem;overflow-wrap:anywhere}header{padding-top:1rem;color:var(--soft)}\
header p{margin:0}.logo{display:block;max-width:12rem;max-height:3.5rem;margin-bottom:.4rem}\
footer{padding-top:2rem;padding-bottom:2rem;color:var(--soft)}
h1{font-size:1.6rem;line-height:1.25;margin:.6rem 0 1rem}h2{font-size:1.2rem;margin:1.6rem 0 .6rem}a{color:var(--act)}
:focus-visible{outline:3px solid var(--act);outline-offset:2px}
ul.plain{list-style:none;padding:0;margin:0}.card{border:1px solid var(--line);border-radius:.5rem;padding:.8rem 1rem;margin-bottom:.8rem}\
.card h2{margin:0}.card p{margin:.3rem 0 0}
label,legend{font-weight:600;display:block;padding:0}.field{margin:0 0 1.1rem;border:0;padding:0;min-width:0}\
.field small{display:block;color:var(--soft);font-weight:400}.field label small,legend small{display:inline}
input,select,textarea{font:inherit;width:100%;max-width:100%;min-height:2.75rem;padding:.5rem .6rem;color:var(--text);\
background:var(--back);border:1px solid var(--line);border-radius:.4rem}
.choice{display:flex;align-items:center;gap:.6rem;min-height:2.75rem;font-weight:400}.choice input{width:1.4rem;min-height:1.4rem;flex:none}
[aria-invalid]{border:2px solid var(--bad)}.wrong{display:block;color:var(--bad);font-weight:600}\
.errors{border:3px solid var(--bad);border-radius:.5rem;padding:.8rem 1rem;margin-bottom:1.5rem}.errors h2{margin:0 0 .4rem}\
.errors a{color:var(--bad)}.errors ul{margin:0;padding-left:1.2rem}
button,.button{font:inherit;font-weight:600;display:inline-block;min-height:2.75rem;padding:.6rem 1.2rem;border:0;border-radius:.4rem;\
background:var(--act);color:var(--on);cursor:pointer;text-decoration:none}[aria-disabled]{opacity:.6}\
.quiet{background:none;color:var(--bad);border:2px solid var(--bad)}
.note{background:var(--tint);border-radius:.5rem;padding:.7rem 1rem;margin:0 0 1rem}dl{margin:0}dt{color:var(--soft)}\
dd{margin:0 0 .7rem;font-weight:600}.trap{position:absolute;left:-9999px}`
