/**
 * A hidden field of the credential: whether no other field is an expression. n8n gives a node the credential with its
 * expressions evaluated for one item, so only the credential itself can say whether other items would get the same.
 */
export const IS_FIXED = 'isFixed';

/**
 * The field's value, an expression too. `$rawParameter["&name"]` is another field of the same credential as it is stored,
 * and an expression is stored with "=" in front. The field first looks at itself, which is an expression for certain:
 * without its "=", this n8n gives evaluated values there, and nothing is known.
 */
export const IS_FIXED_EXPRESSION = `={{ $rawParameter["&${IS_FIXED}"].startsWith("=") && ![$rawParameter["&baseUrl"], $rawParameter["&apiKey"]].some((stored) => String(stored).startsWith("=")) }}`;
