/** What the user can do about an unavailable port, by Node's error code. */
const ADVICE: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is in use: choose another --port, or 0 for any free port',
  EACCES: 'is not allowed: choose another --port',
  EADDRNOTAVAIL: 'is not an address of this machine: choose another --bind',
  ENOTFOUND: 'has an unknown host name: choose another --bind',
};

/** The error to show for a port that cannot be opened; undefined for any other error. */
export function unavailablePort(error: unknown, port: number, host: string): Error | undefined {
  const advice = ADVICE[typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''];
  return advice === undefined ? undefined : new Error(`port ${port} of ${host} ${advice}`, { cause: error });
}
