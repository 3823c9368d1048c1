"""What goes over the wire: the models of requests and answers, shared by servers and the client."""
