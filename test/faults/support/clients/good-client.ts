import { expect } from 'chai';
import { call } from '../../../support/http/client';

/** Somebody who uses the service as it is meant to be used, until told to end. */
export const goodClient = ({ address, key }: { readonly address: string; readonly key: string }) => {
  let isGoing = true;
  let answers = 0;
  const use = async (): Promise<void> => {
    for (; isGoing; answers += 2) {
      const pet = `{"name":"good ${answers}","categoryId":7}`;
      const created = await call(`${address}/v1/pets`, { method: 'POST', key, body: pet });
      expect(created.status, created.text).to.equal(201);
      const id = /"id":([0-9]+)/.exec(created.text)?.[1] ?? '';
      const got = await call(`${address}/v1/pets/${id}`, { key });
      expect([got.status, got.text]).to.deep.equal([200, created.text]);
    }
  };
  const used = use();
  return {
    end: async (): Promise<number> => {
      isGoing = false;
      await used;
      return answers;
    },
  };
};
