package console

import (
	"github.com/taproot-dev/taproot/farm/hub"
	"github.com/taproot-dev/taproot/server/service"
)

// hostsPage lists the servers of the service, and the hosts of a farm with their devices.
func (c *Console) hostsPage(q *request) error {
	op, err := q.person.Operator()
	if err != nil {
		return err
	}
	list, err := op.Hosts(q.r.Context())
	if err != nil {
		return err
	}
	d := struct {
		Hosts   []service.Host
		Shared  bool // in PostgreSQL: more hosts may join
		Farm    bool
		Members []hub.Host
		Devices []hub.Device
	}{Hosts: list, Shared: c.o.Service.Database() == "postgres", Farm: c.o.Farm != nil}
	if d.Farm {
		d.Members, d.Devices = c.o.Farm.Hosts("", true), c.o.Farm.AllDevices()
	}
	return q.show("hosts", view{Title: "Hosts", Tab: "hosts", D: d})
}
