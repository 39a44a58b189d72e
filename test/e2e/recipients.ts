/** A message as a list for Send Bulk has it. */
export interface Listed {
  phone: string;
  message: string;
}

/** A made-up number, another one for each index below 100,000. */
export function phoneAt(index: number): string {
  return `4477009${String(index).padStart(5, '0')}`;
}

/** So many messages, each with a number and a text of its own. */
export function listOf(count: number): Listed[] {
  return Array.from({ length: count }, (_slot, index) => ({ phone: phoneAt(index), message: `Hello ${index}` }));
}

/** Messages without what the sandbox adds to them, in the order of their numbers: batches may arrive in any order. */
export function plain(messages: readonly Listed[]): Listed[] {
  return messages
    .map(({ phone, message }) => ({ phone, message }))
    .sort((left, right) => left.phone.localeCompare(right.phone));
}

/** {@link listOf} as an expression for the parameter Messages of Send Bulk. */
export function listExpression(count: number): string {
  return `={{ Array.from({ length: ${count} }, (_, index) => ({ phone: '4477009' + String(index).padStart(5, '0'), message: 'Hello ' + index })) }}`;
}
