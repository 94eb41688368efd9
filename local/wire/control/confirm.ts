import { InvalidInput, MemberReader } from '../../kernel/member-reader';
import { parsedBody, THE_BODY } from './parsed-body';
import type { ControlRoute } from './route';

/**
 * `POST {"endpoint":"https://billing.example.com/orders"}`: does what the owner of an endpoint must do before SNS delivers to
 * it. `confirmed` says how many of its subscriptions have waited for that.
 */
export const CONFIRM_ROUTE: ControlRoute = {
  POST: (world, { body }) => {
    const reader = new MemberReader(parsedBody(body), THE_BODY);
    const endpoint = reader.text('endpoint');
    if (!reader.has('endpoint')) reader.refuse('endpoint', 'must be a URL or an e-mail address', undefined);
    reader.check();
    const confirmed = endpoint === undefined ? 0 : world.confirm(endpoint);
    if (confirmed > 0) return { endpoint, confirmed };
    const rule = 'must be that of a subscription that waits for confirmation: GET /_dlo/state has them';
    throw new InvalidInput([{ property: 'endpoint', rule, value: endpoint }]);
  },
};
