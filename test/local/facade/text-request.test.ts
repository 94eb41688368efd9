import { type Behaviour, LocalAws, noAnswer, response, silence } from '../../../local';

/** A host, asked once, and how it was to behave. */
async function asked(behaviour: Behaviour) {
  const aws = LocalAws.start();
  const host = aws.endpoint('partner.example.com');
  host.behave(behaviour);
  const answer = aws.request('POST', 'https://partner.example.com/orders');
  return { aws, answer };
}

describe('a request to a host', () => {
  test('waits, in virtual time, for as long as the answer takes', async () => {
    const { aws, answer } = await asked({ reply: response(200, 'late', {}, { latencyMs: 5_000 }) });
    let text = '';
    void answer.then(it => {
      text = it.text;
    });
    await aws.advance({ seconds: 4.999 });
    expect(text).toBe('');
    await aws.advance({ seconds: 0.001 });
    expect(await answer).toEqual({ status: 200, text: 'late' });
  });

  test.each([
    [noAnswer(), 'ECONNREFUSED'],
    [noAnswer('ENOTFOUND'), 'ENOTFOUND'],
    [silence(), 'nothing ever comes'],
  ])('says which way there was no answer: %j', async (reply, why) => {
    const { answer } = await asked({ reply });
    await expect(answer).rejects.toThrow(`POST https://partner.example.com/orders: no answer (${why})`);
  });
});
