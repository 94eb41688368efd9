/** The six parts of an Amazon Resource Name; `resource` keeps its own colons and slashes. */
export interface Arn {
  readonly partition: string;
  readonly service: string;
  readonly region: string;
  readonly account: string;
  readonly resource: string;
}

/** Reads an ARN, or answers undefined when the text is none. */
export function parseArn(text: string): Arn | undefined {
  const [prefix, partition, service, region, account, ...resource] = text.split(':');
  if (prefix !== 'arn' || !partition || !service || region === undefined || account === undefined) return undefined;
  if (resource.length === 0) return undefined;
  return { partition, service, region, account, resource: resource.join(':') };
}

/** The name at the end of an ARN, or of whatever else is written with colons; a text without one is its own name. */
export function nameInArn(arn: string): string {
  return arn.slice(arn.lastIndexOf(':') + 1);
}

export function formatArn({ partition, service, region, account, resource }: Arn): string {
  return `arn:${partition}:${service}:${region}:${account}:${resource}`;
}
