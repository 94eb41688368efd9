import { brief } from '../../kernel/brief';
import { InvalidInput } from '../../kernel/member-reader';
import { type ControlledSimulation, type ControlReply, type ControlRequest, jsonReply } from './route';
import { CONTROL_ROUTES } from './routes';

const PREFIX = '/_dlo/';

/** Of what was sent, as much is sent back. */
const LONGEST_VALUE = 200;

/**
 * The clock, the trace, outside endpoints and faults, over HTTP: for tests in any language. JSON in and out.
 *
 * A request that makes no sense is answered 400, naming each property, its rule and the value.
 */
export class Control {
  /** @param onError is told of what is our own fault, or the scenario's; the client is answered 500 */
  constructor(
    private readonly world: ControlledSimulation,
    private readonly onError: (error: unknown) => void,
  ) {}

  async answer(request: ControlRequest): Promise<ControlReply> {
    const question = request.path.indexOf('?');
    const where = question === -1 ? request.path : request.path.slice(0, question);
    const [name = '', ...rest] = where.slice(PREFIX.length).split('/');
    const query = new URLSearchParams(question === -1 ? '' : request.path.slice(question + 1));
    const route = CONTROL_ROUTES[name];
    if (!route || !Object.hasOwn(CONTROL_ROUTES, name)) {
      const known = Object.keys(CONTROL_ROUTES).map(it => PREFIX + it);
      return jsonReply(404, { message: `there is no ${where}; there are ${known.join(', ')}` });
    }
    const handler = Object.hasOwn(route, request.method) ? route[request.method] : undefined;
    if (!handler) {
      const allow = Object.keys(route).join(', ');
      return jsonReply(405, { message: `${PREFIX}${name} takes ${allow}, got ${request.method}` }, { allow });
    }
    try {
      const reachedAt = request.headers['host'] && `http://${request.headers['host']}`;
      const input = { rest: rest.join('/'), query, body: request.body, reachedAt, onGone: request.onGone };
      return jsonReply(200, await handler(this.world, input));
    } catch (error) {
      if (error instanceof InvalidInput) return jsonReply(400, refusal(error));
      this.onError(error);
      return jsonReply(500, { message: error instanceof Error ? error.message : String(error) });
    }
  }
}

function refusal({ message, problems }: InvalidInput): object {
  const short = ({ property, rule, value }: InvalidInput['problems'][number]) => {
    const text = brief(value, LONGEST_VALUE);
    return { property, rule, value: text.length > LONGEST_VALUE ? text : value };
  };
  return { message, problems: problems.map(short) };
}
