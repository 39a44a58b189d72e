import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';

type Show = NonNullable<IDisplayOptions['show']>;

/**
 * A parameter as it is when the node is the tool of an agent or an MCP server. With a hint, the model fills it in
 * unless the user enters something else: it is set as by the button beside the field, which leaves the hint empty.
 * A model sees nothing of the field but its name and the hint.
 */
export function forModels(parameter: INodeProperties, show: Show, hint?: string): INodeProperties {
  const property: INodeProperties = { ...parameter, displayOptions: { show: { ...show, '@tool': [true] } } };
  return hint === undefined ? property : { ...property, default: filledInByModel(parameter, hint) };
}

/** The same parameter everywhere else. */
export function notForModels(parameter: INodeProperties, show: Show): INodeProperties {
  return { ...parameter, displayOptions: { show, hide: { '@tool': [true] } } };
}

/** The expression that the editor's button writes; by the comment it is known as such. */
function filledInByModel({ displayName, type }: INodeProperties, hint: string): string {
  return `={{ /*n8n-auto-generated-fromAI-override*/ $fromAI('${displayName}', \`${hint}\`, '${type}') }}`;
}
