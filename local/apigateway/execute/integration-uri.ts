import type { Place } from '../../kernel/place';

/** Where an integration with an AWS service goes. */
interface ServiceTarget {
  /** For example `sns`, in signatures and host names. */
  readonly service: string;
  readonly region: string;
  readonly host: string;
  /** Path and query. */
  readonly path: string;
}

const URI = /^arn:[^:]+:apigateway:([^:]+):([\w-]+(?:\.[\w-]+)?):(path|action)\/(.*)$/s;

/**
 * Reads `arn:aws:apigateway:us-east-1:sns:path//` or `…:sns:action/Publish&TopicArn=…`, or answers undefined when it is
 * neither.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/api/API_Integration.html
 */
export function serviceTarget(uri: string, place: Place): ServiceTarget | undefined {
  const [, region = '', name = '', form, rest = ''] = URI.exec(uri) ?? [];
  if (!form) return undefined;
  const service = name.split('.').at(-1) ?? name;
  const host = `${name.replace(/^([\w-]+)\.([\w-]+)$/, '$1.$2')}.${region}.${place.urlSuffix}`;
  const path = form === 'action' ? `/?Action=${rest}` : `/${rest.replace(/^\//, '')}`;
  return { service, region, host, path };
}
