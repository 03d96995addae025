package console

import "github.com/taproot-dev/taproot/server/service"

// hostsPage lists the servers that work for the service.
func (c *Console) hostsPage(q *request) error {
	op, err := q.person.Operator()
	if err != nil {
		return err
	}
	list, err := op.Hosts(q.r.Context())
	if err != nil {
		return err
	}
	return q.show("hosts", view{Title: "Hosts", Tab: "hosts", D: struct {
		Hosts  []service.Host
		Shared bool // of PostgreSQL, which more hosts may join
	}{list, c.o.Service.Database() == "postgres"}})
}
