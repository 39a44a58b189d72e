/** The hidden field of the credential that is true where no other field of it is an expression. */
export const IS_FIXED = 'isFixed';

/**
 * Its value, for n8n to evaluate. It looks at what is stored; that n8n gives this field's own text, too, shows that it does
 * not give the values of expressions instead.
 */
export const IS_FIXED_EXPRESSION = `={{ $rawParameter["&${IS_FIXED}"].startsWith("=") && ![$rawParameter["&baseUrl"], $rawParameter["&apiKey"]].some((stored) => String(stored).startsWith("=")) }}`;
