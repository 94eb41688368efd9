/** The `$context` of a request; what is not known yet is missing. */
export type ContextVariables = Record<string, unknown>;

/** `identity.sourceIp` of the context, as text. */
export function contextVariable(context: ContextVariables, path: string): string | undefined {
  const value = path.split('.').reduce<unknown>((part, name) => {
    if (typeof part !== 'object' || part === null || !Object.hasOwn(part, name)) return undefined;
    return Reflect.get(part, name);
  }, context);
  return value === undefined || value === null || typeof value === 'object' ? undefined : String(value);
}

/** Puts the variables into a text such as `$context.requestId $context.status`; one without a value becomes `missing`. */
export function withContext(text: string, context: ContextVariables, missing: string): string {
  return text.replace(
    /\$context\.([A-Za-z]\w*(?:\.[A-Za-z]\w*)*)/g,
    (_, path) => contextVariable(context, path) ?? missing,
  );
}
