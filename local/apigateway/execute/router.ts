import type { Method } from '../model/method';
import { type ApiResource, type Deployment, isGreedy, isVariable, methodKey } from '../model/rest-api';

export interface Match {
  readonly resource: ApiResource;
  readonly method: Method;
  readonly pathParameters: Readonly<Record<string, string>>;
}

interface Walk {
  readonly resource: ApiResource;
  readonly pathParameters: Readonly<Record<string, string>>;
}

/**
 * Finds the method for a path: exact parts come before variables, and `{proxy+}`, which takes whatever is left, last.
 *
 * @param path without stage and query, still percent-encoded
 */
export function route(deployment: Deployment, httpMethod: string, path: string): Match | undefined {
  const parts = path.split('/').filter(part => part !== '');
  const root = deployment.resources.find(it => it.parentId === undefined);
  const found = root && walk(deployment, { resource: root, pathParameters: {} }, parts);
  if (!found) return undefined;
  const { methods } = deployment;
  const method =
    methods.get(methodKey(found.resource.id, httpMethod)) ?? methods.get(methodKey(found.resource.id, 'ANY'));
  return method && { ...found, method };
}

function walk(deployment: Deployment, at: Walk, parts: readonly string[]): Walk | undefined {
  const [part, ...rest] = parts;
  if (part === undefined) return at;
  const children = deployment.resources.filter(it => it.parentId === at.resource.id);
  const exact = children.find(it => it.pathPart === part);
  const variable = children.find(it => isVariable(it.pathPart) && !isGreedy(it.pathPart));
  const greedy = children.find(it => isGreedy(it.pathPart));
  const enter = (resource: ApiResource | undefined, value: string, left: readonly string[]): Walk | undefined =>
    resource && walk(deployment, { resource, pathParameters: withParameter(at, resource, value) }, left);
  return enter(exact, part, rest) ?? enter(variable, part, rest) ?? enter(greedy, parts.join('/'), []);
}

function withParameter(at: Walk, { pathPart }: ApiResource, value: string): Readonly<Record<string, string>> {
  if (!isVariable(pathPart)) return at.pathParameters;
  return { ...at.pathParameters, [pathPart.replace(/^\{|\+?\}$/g, '')]: decoded(value) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A stray percent sign: API Gateway hands the text on as it came.
    return text;
  }
}
