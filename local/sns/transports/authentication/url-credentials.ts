/** Who an endpoint's URL says SNS is. */
export interface UrlCredentials {
  readonly user: string;
  readonly password: string;
}

/**
 * The credentials before the `@` of an endpoint, if it has any.
 *
 * @throws URIError when a `%` in them does not begin an escape; nobody can subscribe such an endpoint
 */
export function urlCredentials(endpoint: string): UrlCredentials | undefined {
  const { username, password } = new URL(endpoint);
  if (username === '') return undefined;
  return { user: decodeURIComponent(username), password: decodeURIComponent(password) };
}
